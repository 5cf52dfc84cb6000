/**
 * Where runner Pods wait for a job. A Pod is tried when it comes and whenever somebody says that its pool may have
 * something; in between it costs a timer and nothing else. All that wait for one pool are tried together, in one
 * transaction: the more there are, the less each one costs.
 */
import type { Clock } from '../../platform/clock.ts';
import type { ClaimAnswer, ClaimingPod, Exceptions, JobStore } from '../store/port.ts';
import type { PodRef } from '../store/rows.ts';

export interface ParkedPollsPorts {
  readonly store: Pick<JobStore, 'claim'>;
  readonly clock: Clock;
  readonly newGeneration: () => string;
  /** What is better not tried now, because it just failed. */
  readonly except: () => Exceptions;
}

export interface Wait {
  readonly pool: string;
  readonly pod: PodRef;
  /** How long to wait at most; none to be tried once. */
  readonly waitMs: number;
  /** Whoever asked is gone. A claim that was won meanwhile is still answered: somebody has to give it back. */
  readonly signal: AbortSignal;
}

/** The store was never asked about it, so that nobody knows whether the Pod has something already. */
export interface Untried {
  readonly kind: 'untried';
}

/** So many are tried at once. Enough that nobody behind them notices, and a transaction stays short. */
const batchMax = 64;
/** What waited longer than this is left to the recovery. */
const oldestMs = 7 * 24 * 3_600_000;

export class ParkedPolls {
  readonly #ports: ParkedPollsPorts;
  readonly #lines = new Map<string, Line>();
  #isClosed = false;

  constructor(ports: ParkedPollsPorts) {
    this.#ports = ports;
  }

  /** Nobody waits any more, and whoever comes is told at once that there is nothing. What is being tried is answered. */
  close(): void {
    this.#isClosed = true;
    for (const line of this.#lines.values()) for (const waiter of line.waiting) this.#remove(line, waiter);
  }

  /** How many wait. */
  get size(): number {
    return [...this.#lines.values()].reduce((sum, line) => sum + line.waiting.size, 0);
  }

  async wait({ pool, pod, waitMs, signal }: Wait): Promise<ClaimAnswer | Untried> {
    if (this.#isClosed) return { kind: 'untried' };
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

  /** A Pod that asks again has given up on the first answer: two of it in one batch would be two claims of one Pod. */
  #sendAway(line: Line, { uid }: PodRef): void {
    for (const waiter of line.waiting) if (waiter.pod.uid === uid) this.#remove(line, waiter);
  }

  #remove(line: Line, waiter: Waiter): void {
    waiter.isDeleting = true;
    if (waiter.isTried) return;
    this.#settle(line, waiter, waiter.wasTried ? { kind: 'nothing', pod: waiter.pod } : { kind: 'untried' });
  }

  /** Somebody said that the pool may have something; without a name, that anything may have been missed. */
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
      // The batch went away whole: there may be more, for those behind it.
      if (rest === 0) line.isAwake = true;
    }
    line.isBusy = false;
    if (line.waiting.size === 0) this.#lines.delete(line.pool);
  }

  /** How many of them still wait. */
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

  #settle(line: Line, waiter: Waiter, outcome: ClaimAnswer | Untried | { readonly error: unknown }): void {
    waiter.stopTimer();
    line.waiting.delete(waiter);
    if ('error' in outcome) waiter.reject(outcome.error);
    else waiter.resolve(outcome);
  }
}

/** Where not all can be tried at once, first those who do not wait for another try: they have no timer that would end it. */
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
  /** Something may have changed since the last try began. */
  isAwake: boolean;
}

interface Waiter {
  readonly pod: PodRef;
  readonly resolve: (answer: ClaimAnswer | Untried) => void;
  readonly reject: (error: unknown) => void;
  readonly stopTimer: () => void;
  /** The store is being asked for it: its answer must be awaited, whatever happens meanwhile. */
  isTried: boolean;
  wasTried: boolean;
  isDeleting: boolean;
}
