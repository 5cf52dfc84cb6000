/**
 * Runs each worker again and again, alone among all replicas: whoever is first when it is due has the turn. A replica that
 * dies in the middle of one loses it after a while; every act is guarded, so two that overlap do nothing twice.
 */
import type { Clock } from '../../runtime/clock.ts';
import type { RecoveryStore, Turn } from '../store/recovery-port.ts';
import { Ticker } from './ticker.ts';
import type { Worker } from './worker.ts';

export interface TurnPorts {
  readonly store: Pick<RecoveryStore, 'takeTurn' | 'endTurn' | 'turns'>;
  readonly clock: Clock;
  /** Of this start of this replica. */
  readonly holder: string;
  readonly failed: (worker: string, error: unknown) => void;
}

/** However seldom a worker runs, whether it is due is asked this often: replicas come and go. */
const askEveryMs = 60_000;
/** Replicas that do not live as long as a turn is away would otherwise never come to one. */
const askFirstMs = 5000;
const leaseMinMs = 60_000;
const leaseMaxMs = 600_000;
const lookEveryMs = 30_000;

export class Turns {
  readonly #ports: TurnPorts;
  readonly #workers: readonly Worker[];
  readonly #tickers: readonly Ticker[];
  readonly #startedAt: number;
  #turns: readonly Turn[] = [];

  constructor(ports: TurnPorts, workers: readonly Worker[]) {
    const { clock, failed } = ports;
    this.#ports = ports;
    this.#workers = workers;
    this.#startedAt = clock.now();
    this.#tickers = [
      ...workers.map(
        (worker) =>
          new Ticker({
            clock,
            everyMs: Math.min(worker.everyMs, askEveryMs),
            firstMs: askFirstMs,
            run: async () => void (await this.turn(worker)),
            onFailure: (error) => failed(worker.name, error),
          }),
      ),
      new Ticker({
        clock,
        everyMs: lookEveryMs,
        run: async () => void (this.#turns = await ports.store.turns()),
        onFailure: (error) => failed('turns', error),
      }),
    ];
  }

  start(): void {
    for (const ticker of this.#tickers) ticker.start();
  }

  async stop(): Promise<void> {
    await Promise.all(this.#tickers.map(async (ticker) => ticker.stop()));
  }

  /** How long ago each worker last did its work well, on any replica, as of the last look. */
  ages(): readonly { readonly worker: string; readonly seconds: number }[] {
    const now = this.#ports.clock.now();
    return this.#workers.map(({ name: worker }) => {
      const goodAt = this.#turns.find((turn) => turn.worker === worker)?.goodAt ?? this.#startedAt;
      return { worker, seconds: (now - goodAt) / 1000 };
    });
  }

  /** Whether it was this replica's turn. */
  async turn(worker: Worker): Promise<boolean> {
    const { store, clock, holder } = this.#ports;
    const { name, everyMs } = worker;
    const at = clock.now();
    const leaseMs = Math.min(leaseMaxMs, Math.max(leaseMinMs, 2 * everyMs));
    const answer = await store.takeTurn({ worker: name, holder, at, everyMs, leaseMs });
    if (answer.kind !== 'taken') return false;
    let isGood = false;
    try {
      await worker.run({ at, goodAt: answer.goodAt });
      isGood = true;
    } finally {
      await store.endTurn({ worker: name, holder, isGood });
    }
    return true;
  }
}
