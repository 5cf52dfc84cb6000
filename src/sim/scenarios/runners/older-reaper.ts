/**
 * The older way to remove marked Pods, to see what is wrong with it: a claim ends with the job that it was made for, whoever
 * executes that job, and a marked Pod that is five minutes old and has no claim is taken for a leak. GitHub gives a job to any
 * runner whose labels match; so a Pod can be at work on one job while the claim that it was reserved with is gone.
 */
import type { Tables } from '../../../dispatch/store/contract/model/tables.ts';
import type { World } from '../../world.ts';
import type { RunnerDesk } from './runner-desk.ts';
import type { RunnerTruth } from './runner-truth.ts';

const everyMs = 60_000;
const graceMs = 300_000;

export class OlderReaper {
  readonly #world: World;
  readonly #truth: RunnerTruth;
  readonly #desk: RunnerDesk;
  readonly #firstSeen = new Map<string, number>();
  readonly #madeFor = new Map<string, string>();

  constructor(world: World, truth: RunnerTruth, desk: RunnerDesk) {
    this.#world = world;
    this.#truth = truth;
    this.#desk = desk;
  }

  begin(): void {
    this.#world.clock.after(everyMs, () => {
      this.#endClaimsByJob(this.#truth.tables);
      this.#reap();
      this.begin();
    });
  }

  /** Told of each change: the older way knew only what a claim was made for, whatever was executed in its place. */
  note(): void {
    for (const { generation, jobId } of this.#truth.tables.claims.values())
      if (!this.#madeFor.has(generation)) this.#madeFor.set(generation, jobId);
  }

  #endClaimsByJob(tables: Tables): void {
    for (const { generation, jobId } of tables.claims.values()) {
      const madeFor = this.#madeFor.get(generation) ?? jobId;
      if (tables.jobs.get(madeFor)?.state === 'completed') tables.claims.delete(generation);
    }
  }

  #reap(): void {
    const now = this.#world.clock.now();
    const live = new Set([...this.#truth.tables.claims.values()].map(({ pod }) => pod.name));
    for (const { name, uid, owner, isLeaving, isOver } of this.#truth.pods) {
      const seenAt = this.#firstSeen.get(uid) ?? now;
      this.#firstSeen.set(uid, seenAt);
      const isLeak = owner !== undefined && !live.has(name) && now - seenAt > graceMs;
      if (isLeak && !isLeaving && !isOver) this.#desk.deletePod(name, undefined);
    }
  }
}
