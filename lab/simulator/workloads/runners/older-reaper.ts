/**
 * The older way to remove stamped Pods, to show its flaw: a claim ends with the job that it was made for, whichever
 * runner executes that job; a stamped Pod without a claim counts as a leak after five minutes. GitHub gives a job to
 * any runner with matching labels; so a Pod can run one job while the claim that reserved the Pod is gone.
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

  /** `reap` is called once for each Pod that counts as a leak. */
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

  /** Called for each change: the older way ended a claim with its job, whichever runner executed that job. */
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
      // Each Pod is reaped once.
      this.#firstSeen.set(pod.uid, Infinity);
      this.#reap(pod);
    }
  }

  /** Pods by the claims that the older way would still have. */
  #claimedPods(): ReadonlySet<string> {
    const { claims, jobs } = this.#truth.tables;
    const held = [...claims.values()].filter(({ generation, jobId }) => {
      const madeFor = this.#madeFor.get(generation) ?? jobId;
      return jobs.get(madeFor)?.state !== 'completed';
    });
    return new Set(held.map(({ pod }) => pod.name));
  }
}
