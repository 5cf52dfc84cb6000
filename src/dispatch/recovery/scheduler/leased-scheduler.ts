/**
 * Runs each worker periodically on one replica at a time: the first replica that takes the lease of a due worker runs
 * it. Every replica reads all leases first, so that few requests for a lease fail. The lease of a replica that dies
 * expires after a minute; a live replica renews its lease for as long as the run takes. Two runs may still overlap, so
 * every repair is guarded.
 */
import type { Clock } from '../../../platform/clock.ts';
import type { Random } from '../../../platform/random.ts';
import type { RecoveryStore, Lease } from '../../store/recovery-port.ts';
import { isDue } from '../../store/job-leases.ts';
import { PeriodicTask } from '../../../platform/periodic-task.ts';
import type { WorkerName } from './worker-names.ts';
import type { Worker } from './worker.ts';

export interface LeasedSchedulerPorts {
  readonly store: Pick<RecoveryStore, 'acquireLease' | 'renewLeases' | 'releaseLease' | 'leases'>;
  readonly clock: Clock;
  readonly random: Random;
  /** Identifies this process, not the Pod: a restart has another holder. */
  readonly holder: string;
  readonly failed: (worker: string, error: unknown) => void;
  /** A paused worker does not run on this replica. Its age is reported all the same. */
  readonly isPaused: (worker: WorkerName) => boolean;
}

export interface WorkerAge {
  readonly worker: WorkerName;
  readonly seconds: number;
  /** The period of the worker. */
  readonly everySeconds: number;
}

const lookEveryMs = 15_000;
/** Spreads the replicas: at the same moment they would request the same leases. */
const lookSpreadMs = 1000;
/** A first look soon after the start, so that replicas that live shorter than a period still run workers. */
const lookFirstMs = 5000;
/** How long the others wait for a dead replica; a live one may miss two looks and still holds its lease. */
export const leaseMs = 60_000;

export class LeasedScheduler {
  readonly #ports: LeasedSchedulerPorts;
  readonly #workers: readonly Worker[];
  readonly #looks: PeriodicTask;
  readonly #startedAt: number;
  /** Current runs on this replica, by worker. */
  readonly #running = new Map<string, Promise<void>>();
  #rounds: readonly Lease[] = [];
  #isStopped = false;

  constructor(ports: LeasedSchedulerPorts, workers: readonly Worker[]) {
    const { clock, random, failed } = ports;
    this.#ports = ports;
    this.#workers = workers;
    this.#startedAt = clock.now();
    this.#looks = new PeriodicTask({
      clock,
      everyMs: lookEveryMs,
      spreadMs: () => random.next() * lookSpreadMs,
      firstMs: lookFirstMs,
      run: async () => this.#look(),
      onFailure: (error) => failed('turns', error),
    });
  }

  start(): void {
    this.#looks.start();
  }

  /** Waits for the current runs, which then release their leases. */
  async stop(): Promise<void> {
    this.#isStopped = true;
    await this.#looks.stop();
    await Promise.all(this.#running.values());
  }

  /** How long ago the last successful run of each worker began, on any replica, as of the last look. */
  ages(): readonly WorkerAge[] {
    const now = this.#ports.clock.now();
    return this.#workers.map(({ name: worker, everyMs }) => {
      const goodAt = this.#rounds.find((round) => round.worker === worker)?.goodAt ?? this.#startedAt;
      return { worker, seconds: (now - goodAt) / 1000, everySeconds: everyMs / 1000 };
    });
  }

  async #look(): Promise<void> {
    const { store, clock, holder } = this.#ports;
    const workers = [...this.#running.keys()];
    if (workers.length > 0) await store.renewLeases({ workers, holder, at: clock.now(), leaseMs: leaseMs });
    this.#rounds = await store.leases();
    if (this.#isStopped) return;
    for (const worker of this.#workers) if (this.#isFor(worker)) this.#begin(worker);
  }

  #isFor({ name, everyMs }: Worker): boolean {
    const { clock, holder, isPaused } = this.#ports;
    const request = { worker: name, holder, at: clock.now(), everyMs, leaseMs: leaseMs };
    return !isPaused(name) && !this.#running.has(name) && isDue(this.#rounds, request);
  }

  /** The look does not wait for the run: a slow worker must not delay the others. */
  #begin(worker: Worker): void {
    const { name } = worker;
    const round = this.#lease(worker)
      .catch((error: unknown) => this.#ports.failed(name, error))
      .finally(() => this.#running.delete(name));
    this.#running.set(name, round);
  }

  async #lease(worker: Worker): Promise<void> {
    const { store, clock, holder } = this.#ports;
    const { name, everyMs } = worker;
    const at = clock.now();
    const answer = await store.acquireLease({ worker: name, holder, at, everyMs, leaseMs: leaseMs });
    if (answer.kind !== 'taken') return;
    let isGood = false;
    try {
      await worker.run({ at, goodAt: answer.goodAt });
      isGood = true;
    } finally {
      await store.releaseLease({ worker: name, holder, isGood });
    }
  }
}
