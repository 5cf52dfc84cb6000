/** Deadlines, counted from the end of the faults: during an outage of GitHub no deadline can be met. */
import { headroom } from '../../../../src/dispatch/store/choose-jobs.ts';
import type { Job } from '../../../../src/dispatch/store/rows.ts';
import type { Invariant } from '../../checkers/invariant.ts';
import { WaitingTimes } from '../../checkers/waiting-times.ts';
import type { World } from '../../world/world.ts';
import type { PodFacts, RunnerTruth } from './runner-truth.ts';

const second = 1000;
const minute = 60 * second;
const lookEveryMs = 10 * second;
/** Processes restart, one takes the lease, and cooldowns end. */
const recoveryMs = 15 * minute;
const promotedWithinMs = 6 * minute;
/** The grace time, two checks of the worker that removes the Pod, and the deletion itself. */
const takenWithinMs = 10 * minute;
const reportedWithinMs = 60 * minute;
/** Five seconds, and the time of a poll and its answer in a world where polls are rare. */
const claimedWithinMs = 20 * second;
const accountWithinMs = 15 * minute;

interface Deadline {
  readonly id: string;
  readonly says: string;
  readonly withinMs: number;
  /** The items that wait now. */
  readonly waiting: () => readonly string[];
}

export class RunnerDeadlines {
  readonly #world: World;
  readonly #truth: RunnerTruth;
  readonly #countsFrom: number;

  constructor(world: World, truth: RunnerTruth, peaceAfterMs: number) {
    this.#world = world;
    this.#truth = truth;
    this.#countsFrom = world.clock.now() + peaceAfterMs + recoveryMs;
  }

  invariants(): readonly Invariant[] {
    return [
      this.#rule({
        id: 'L4',
        says: 'a claim is promoted or given back in time',
        withinMs: promotedWithinMs,
        waiting: () => this.#unpromoted(),
      }),
      this.#rule({
        id: 'L5',
        says: 'a stamped Pod without a claim is removed in time',
        withinMs: takenWithinMs,
        waiting: () => this.#forlorn(),
      }),
      this.#rule({
        id: 'L6',
        says: 'a job without webhooks is found in time',
        withinMs: reportedWithinMs,
        waiting: () => this.#untold(),
      }),
      this.#rule({
        id: 'L7',
        says: 'a job is claimed in time where a Pod waits for it',
        withinMs: claimedWithinMs,
        waiting: () => this.#unclaimed(),
      }),
      this.#rule({
        id: 'S15',
        says: 'a ServiceAccount goes with its Pod',
        withinMs: accountWithinMs,
        waiting: () => this.#leftAccounts(),
      }),
    ];
  }

  #rule({ id, says, withinMs, waiting }: Deadline): Invariant {
    let lookedAt = this.#countsFrom;
    const times = new WaitingTimes(this.#world.clock);
    return {
      id,
      says,
      when: 'each',
      check: () => {
        const now = this.#world.clock.now();
        if (now - lookedAt < lookEveryMs) return undefined;
        lookedAt = now;
        const late = times.late(waiting(), withinMs);
        return late && `${late}, for longer than ${Math.round(withinMs / second)} s`;
      },
    };
  }

  #unpromoted(): readonly string[] {
    return [...this.#truth.tables.claims.values()]
      .filter(({ state }) => state === 'claimed')
      .map(({ generation, jobId }) => `the claim ${generation.slice(0, 8)} of job ${jobId} is not promoted`);
  }

  #forlorn(): readonly string[] {
    const { tables } = this.#truth;
    const isForlorn = ({ uid, owner, isDeleting, isOver }: PodFacts): boolean =>
      owner !== undefined && !isDeleting && !isOver && !tables.isInUse(uid) && !this.#truth.isExecuting(uid);
    return this.#truth.pods.filter(isForlorn).map(({ name }) => `${name} is stamped without a claim`);
  }

  #untold(): readonly string[] {
    const { site, tables } = this.#truth;
    return site.board.jobs
      .filter(({ id, status }) => {
        const state = tables.jobs.get(id)?.state;
        return status === 'completed' ? state !== undefined && state !== 'completed' : state === undefined;
      })
      .map(
        ({ id, status }) =>
          `job ${id} is ${status} at GitHub and ${tables.jobs.get(id)?.state ?? 'unknown'} here`,
      );
  }

  #unclaimed(): readonly string[] {
    const { tables } = this.#truth;
    const hasCapacity = ({ accountId, shape }: Job): boolean => {
      const of = { accountId, platform: shape.platform };
      return tables.hasApp(accountId) && headroom(tables.limitOf(of), tables.used(of), shape) > 0;
    };
    const isFree = ({ uid, owner, isDeleting, isOver }: PodFacts): boolean =>
      owner === undefined && !isDeleting && !isOver && this.#truth.isPolling(uid);
    const freePools = new Set(this.#truth.pods.filter(isFree).map(({ pool }) => pool));
    return [...tables.jobs.values()]
      .filter((job) => job.state === 'queued' && freePools.has(job.pool) && hasCapacity(job))
      .map(({ id, pool }) => `job ${id} waits, and so does a Pod of ${pool}`);
  }

  #leftAccounts(): readonly string[] {
    const names = new Set(this.#truth.pods.map(({ name }) => name));
    return this.#truth.accounts
      .filter((name) => !names.has(name))
      .map((name) => `the ServiceAccount ${name} has no Pod`);
  }
}
