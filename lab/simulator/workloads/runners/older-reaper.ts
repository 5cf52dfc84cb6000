/**
 * The older way to remove marked Pods, to see what is wrong with it: a claim ends with the job that it was made for, whoever
 * executes that job, and a marked Pod that is five minutes old and has no claim is taken for a leak. GitHub gives a job to any
 * runner whose labels match; so a Pod can be at work on one job while the claim that it was reserved with is gone.
 */
import type { World } from '../../world/world.ts';
import type { PodFacts, RunnerTruth } from './runner-truth.ts';

const everyMs = 60_000;
const graceMs = 300_000;

export class OlderReaper {
  readonly #world: World;
  readonly #truth: RunnerTruth;
  readonly #reap: (pod: PodFacts) => void;
  readonly #firstSeen = new Map<string, number>();
  readonly #madeFor = new Map<string, string>();

  /** `reap` is told of each Pod that it takes for a leak, once. */
  constructor(world: World, truth: RunnerTruth, reap: (pod: PodFacts) => void) {
    this.#world = world;
    this.#truth = truth;
    this.#reap = reap;
  }

  begin(): void {
    this.#world.clock.after(everyMs, () => {
      this.#look();
      this.begin();
    });
  }

  /** Told of each change: the older way knew only what a claim was made for, whatever was executed in its place. */
  note(): void {
    for (const { generation, jobId } of this.#truth.tables.claims.values())
      if (!this.#madeFor.has(generation)) this.#madeFor.set(generation, jobId);
  }

  #look(): void {
    const now = this.#world.clock.now();
    const claimed = this.#claimedPods();
    for (const pod of this.#truth.pods) {
      const seenAt = this.#firstSeen.get(pod.uid) ?? now;
      this.#firstSeen.set(pod.uid, seenAt);
      const isLeak = pod.owner !== undefined && !claimed.has(pod.name) && now - seenAt > graceMs;
      if (!isLeak || pod.isDeleting || pod.isOver) continue;
      // Reaped once: from here on it would be gone.
      this.#firstSeen.set(pod.uid, Infinity);
      this.#reap(pod);
    }
  }

  /** By the claims that the older way still had. */
  #claimedPods(): ReadonlySet<string> {
    const { claims, jobs } = this.#truth.tables;
    const held = [...claims.values()].filter(({ generation, jobId }) => {
      const madeFor = this.#madeFor.get(generation) ?? jobId;
      return jobs.get(madeFor)?.state !== 'completed';
    });
    return new Set(held.map(({ pod }) => pod.name));
  }
}
