/** In-memory state of pools. A restart may lose it, which only costs time. */
import { labels } from '../../api/names/labels.ts';
import type { Pod } from '../../kube/client/builtin-resources.ts';
import { earlyWindowMs } from './scale-up.ts';
import { createdAt, endedAt, isClaimed } from '../pods/runner-pods.ts';

/** A created Pod that is not in the cache after this time was not created. */
const unseenMs = 30_000;
/** A Pod that ran a job lives longer. */
const shortLifeMs = 60_000;

interface Made {
  readonly name: string;
  readonly at: number;
}

interface Progress {
  readonly stale: ReadonlySet<string>;
  readonly since: number;
}

export class PoolMemory {
  readonly #made = new Map<string, readonly Made[]>();
  readonly #lastMadeAt = new Map<string, number>();
  readonly #earlyEnds = new Map<string, ReadonlyMap<string, number>>();
  readonly #vanished = new Map<string, Pod>();
  readonly #rolls = new Map<string, Progress>();

  made(pool: string, name: string, at: number): void {
    this.#made.set(pool, [...(this.#made.get(pool) ?? []), { name, at }]);
    this.#lastMadeAt.set(pool, at);
  }

  /** The Pod was not created. */
  unmade(pool: string, name: string): void {
    this.#made.set(
      pool,
      (this.#made.get(pool) ?? []).filter((one) => one.name !== name),
    );
  }

  lastMadeAt(pool: string): number | undefined {
    return this.#lastMadeAt.get(pool);
  }

  unseen(pool: string, { now, seen }: { now: number; seen: readonly Pod[] }): readonly string[] {
    const names = new Set(seen.map(({ metadata }) => metadata.name));
    const left = (this.#made.get(pool) ?? []).filter(
      ({ name, at }) => !names.has(name) && now - at < unseenMs,
    );
    this.#made.set(pool, left);
    return left.map(({ name }) => name);
  }

  /** The Pod was deleted from the API. */
  vanished(pod: Pod): void {
    this.#vanished.set(pod.metadata.uid, pod);
  }

  vanishedOf(isOfPool: (pod: Pod) => boolean): readonly Pod[] {
    return [...this.#vanished.values()].filter(isOfPool);
  }

  isVanished(uid: string): boolean {
    return this.#vanished.has(uid);
  }

  settled(uid: string): void {
    this.#vanished.delete(uid);
  }

  /** Times of recent early ends of Pods of the pool. */
  earlyEnds(pool: string, pods: readonly Pod[], now: number): readonly number[] {
    const known = this.#earlyEnds.get(pool) ?? new Map<string, number>();
    const found = pods.filter(isEarlyEnd).map((pod) => [pod.metadata.uid, endedAt(pod, now)] as const);
    const all = new Map([...known, ...found].filter(([, at]) => now - at < earlyWindowMs));
    this.#earlyEnds.set(pool, all);
    return [...all.values()];
  }

  /** Since when no Pod of an old template has gone; undefined if there are none. */
  rollSince(pool: string, stale: readonly Pod[], now: number): number | undefined {
    const uids = new Set(stale.map(({ metadata }) => metadata.uid));
    const before = this.#rolls.get(pool);
    if (uids.size === 0) {
      this.#rolls.delete(pool);
      return undefined;
    }
    const hasMoved = before === undefined || [...before.stale].some((uid) => !uids.has(uid));
    const since = hasMoved ? now : before.since;
    this.#rolls.set(pool, { stale: uids, since });
    return since;
  }

  /** The pool was deleted. */
  forget(pool: string): void {
    const [namespace, name] = pool.split('/');
    for (const { metadata } of this.#vanished.values())
      if (metadata.namespace === namespace && metadata.labels?.[labels.runnerPool.key] === name)
        this.#vanished.delete(metadata.uid);
    for (const memory of [this.#made, this.#lastMadeAt, this.#earlyEnds, this.#rolls]) memory.delete(pool);
  }
}

function isEarlyEnd(pod: Pod): boolean {
  if (pod.status?.phase !== 'Failed' || isClaimed(pod)) return false;
  return endedAt(pod, createdAt(pod)) - createdAt(pod) < shortLifeMs;
}
