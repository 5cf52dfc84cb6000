/**
 * Parks the polls of runner Pods until there is a job. A poll is tried when it arrives
 * and at each wake of its pool; in between it costs only a timer. All polls of one
 * pool are tried together in one transaction: larger batches cost less per poll.
 */
import type { Clock } from '../../platform/clock.ts';
import type { ClaimAnswer, ClaimingPod, Exceptions, JobStore } from '../store/port.ts';
import type { PodRef } from '../store/rows.ts';

export interface ParkedPollsPorts {
  readonly store: Pick<JobStore, 'claim'>;
  readonly clock: Clock;
  readonly newGeneration: () => string;
  /** What is on cooldown now. */
  readonly except: () => Exceptions;
}

export interface Wait {
  readonly pool: string;
  readonly pod: PodRef;
  /** How long to wait at most; zero tries once. */
  readonly waitMs: number;
  /**
   * Aborted when the client disconnects. A claim won meanwhile is still returned, so that the caller can release it.
   */
  readonly signal: AbortSignal;
}

/** The store was never asked, so the Pod may already have a claim or session. */
export interface NotAttempted {
  readonly kind: 'not-attempted';
}

/** Polls per batch: enough that later polls do not notice a delay, and few enough for a short transaction. */
const batchMax = 64;
/** Older jobs are left to the recovery. */
const oldestMs = 7 * 24 * 3_600_000;

export class ParkedPolls {
  readonly #ports: ParkedPollsPorts;
  readonly #lines = new Map<string, Line>();
  #isClosed = false;

  constructor(ports: ParkedPollsPorts) {
    this.#ports = ports;
  }

  /** Answers all waiting polls, and later polls at once, with nothing. Polls in a running request get its answer. */
  close(): void {
    this.#isClosed = true;
    for (const line of this.#lines.values()) for (const waiter of line.waiting) this.#remove(line, waiter);
  }

  /** How many polls wait. */
  get size(): number {
    return [...this.#lines.values()].reduce((sum, line) => sum + line.waiting.size, 0);
  }

  async wait({ pool, pod, waitMs, signal }: Wait): Promise<ClaimAnswer | NotAttempted> {
    if (this.#isClosed) return { kind: 'not-attempted' };
    const line = this.#lineOf(pool);
    this.#sendAway(line, pod);
    return new Promise((resolve, reject) => {
      const remove = (): void => this.#remove(line, waiter);
      const stopTimer = waitMs > 0 ? this.#ports.clock.after(waitMs, remove) : () => undefined;
      const isDeleting = signal.aborted || waitMs <= 0;
      const waiter: Waiter = { pod, resolve, reject, stopTimer, isTried: false, wasTried: false, isDeleting };
      signal.addEventListener('abort', remove, { once: true });
      line.waiting.add(waiter);
      this.#try(line);
    });
  }

  /**
   * Answers an earlier poll of the same Pod, which has given up on
   * it: two polls in one batch would be two claims for one Pod.
   */
  #sendAway(line: Line, { uid }: PodRef): void {
    for (const waiter of line.waiting) if (waiter.pod.uid === uid) this.#remove(line, waiter);
  }

  #remove(line: Line, waiter: Waiter): void {
    waiter.isDeleting = true;
    if (waiter.isTried) return;
    this.#settle(
      line,
      waiter,
      waiter.wasTried ? { kind: 'nothing', pod: waiter.pod } : { kind: 'not-attempted' },
    );
  }

  /** Tries the polls of a pool that may have a job; without a name, of all pools, since wakes may have been missed. */
  wake(pool?: string): void {
    for (const line of this.#lines.values()) if (pool === undefined || line.pool === pool) this.#try(line);
  }

  #lineOf(pool: string): Line {
    const known = this.#lines.get(pool);
    if (known !== undefined) return known;
    const line: Line = { pool, waiting: new Set(), isBusy: false, isAwake: false };
    this.#lines.set(pool, line);
    return line;
  }

  #try(line: Line): void {
    line.isAwake = true;
    if (!line.isBusy) void this.#serve(line);
  }

  async #serve(line: Line): Promise<void> {
    line.isBusy = true;
    while (line.isAwake && line.waiting.size > 0) {
      line.isAwake = false;
      const rest = await this.#tryTogether(line, nextOf(line));
      // The whole batch was answered, so there may be more jobs for the polls behind it.
      if (rest === 0) line.isAwake = true;
    }
    line.isBusy = false;
    if (line.waiting.size === 0) this.#lines.delete(line.pool);
  }

  /** Returns how many polls of the batch still wait. */
  async #tryTogether(line: Line, batch: readonly Waiter[]): Promise<number> {
    for (const waiter of batch) waiter.isTried = true;
    const { store, clock, newGeneration, except } = this.#ports;
    const at = clock.now();
    const pods = batch.map(({ pod }): ClaimingPod => ({ ...pod, generation: newGeneration() }));
    const request = { pool: line.pool, pods, at, queuedAfter: at - oldestMs, except: except() };
    let answers: readonly ClaimAnswer[];
    try {
      answers = await store.claim(request);
    } catch (error) {
      for (const waiter of batch) this.#settle(line, waiter, { error });
      return 0;
    }
    let rest = 0;
    for (const [index, waiter] of batch.entries()) {
      waiter.isTried = false;
      waiter.wasTried = true;
      const answer = answers[index] ?? { kind: 'nothing', pod: waiter.pod };
      if (answer.kind !== 'nothing' || waiter.isDeleting) this.#settle(line, waiter, answer);
      else rest += 1;
    }
    return rest;
  }

  #settle(
    line: Line,
    waiter: Waiter,
    outcome: ClaimAnswer | NotAttempted | { readonly error: unknown },
  ): void {
    waiter.stopTimer();
    line.waiting.delete(waiter);
    if ('error' in outcome) waiter.reject(outcome.error);
    else waiter.resolve(outcome);
  }
}

/** If not all fit, first the polls that do not wait for another try: no timer would end them. */
function nextOf({ waiting }: Line): readonly Waiter[] {
  const all = [...waiting];
  if (all.length <= batchMax) return all;
  const [leaving, staying] = [
    all.filter(({ isDeleting }) => isDeleting),
    all.filter(({ isDeleting }) => !isDeleting),
  ];
  return [...leaving, ...staying].slice(0, batchMax);
}

interface Line {
  readonly pool: string;
  /** Longest first. */
  readonly waiting: Set<Waiter>;
  isBusy: boolean;
  /** A wake came since the last try began. */
  isAwake: boolean;
}

interface Waiter {
  readonly pod: PodRef;
  readonly resolve: (answer: ClaimAnswer | NotAttempted) => void;
  readonly reject: (error: unknown) => void;
  readonly stopTimer: () => void;
  /** Part of a running request, whose answer must be awaited in any case. */
  isTried: boolean;
  wasTried: boolean;
  isDeleting: boolean;
}
