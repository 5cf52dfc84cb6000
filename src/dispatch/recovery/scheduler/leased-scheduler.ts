/**
 * Runs each worker again and again, alone among all replicas: whoever is first when it is due has the turn. One look shows
 * every replica what is due, so that hardly any turn is asked for in vain. A replica that dies in the middle of one loses
 * it after a minute, and one that lives keeps it for as long as it takes; every act is guarded, so two that overlap do
 * nothing twice.
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
  /** Of this start of this replica. */
  readonly holder: string;
  readonly failed: (worker: string, error: unknown) => void;
  /** Gets no turn on this replica. How long ago its last one was is told all the same. */
  readonly isPaused: (worker: WorkerName) => boolean;
}

export interface WorkerAge {
  readonly worker: WorkerName;
  readonly seconds: number;
  /** How often it should have a turn. */
  readonly everySeconds: number;
}

const lookEveryMs = 15_000;
/** Replicas that look at the same moment would ask for the same turns. */
const lookSpreadMs = 1000;
/** Replicas that do not live as long as a turn is away would otherwise never come to one. */
const lookFirstMs = 5000;
/** Of whoever dies, the others wait for so long; long enough that one who lives misses two looks and still has its turn. */
export const leaseMs = 60_000;

export class LeasedScheduler {
  readonly #ports: LeasedSchedulerPorts;
  readonly #workers: readonly Worker[];
  readonly #looks: PeriodicTask;
  readonly #startedAt: number;
  /** What this replica does now, by the name of the worker. */
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

  /** What has begun is finished, and its turn is free for others. */
  async stop(): Promise<void> {
    this.#isStopped = true;
    await this.#looks.stop();
    await Promise.all(this.#running.values());
  }

  /** How long ago each worker last did its work well, on any replica, as of the last look. */
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

  /** A look does not wait for it: one worker that takes long keeps no other from its turn. */
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
