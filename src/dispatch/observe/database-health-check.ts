/**
 * Whether the database answers this replica, by the connections that serve: one that only listens may live on when nothing else
 * goes through, and its loss alone only makes a wake-up late. A replica without an answer for a while is not ready: another one
 * may reach the database.
 */
import type { Clock } from '../../platform/clock.ts';
import type { Logger } from '../../platform/logger.ts';
import type { Check } from '../../platform/process/health-check.ts';
import { OutageLog } from './outage-log.ts';
import { PeriodicTask } from '../../platform/periodic-task.ts';

export interface DatabaseHealthCheckPorts {
  readonly clock: Clock;
  readonly logger: Pick<Logger, 'info' | 'warn'>;
  /** Something small that any connection can answer. */
  readonly ask: () => Promise<unknown>;
}

const askEveryMs = 2000;
/** A failover or a restart of the database is over by then, and ends no replica's turn at the door. */
const silenceMaxMs = 30_000;
const words = { lost: 'the database does not answer for now', isBack: 'the database answers again' };

export class DatabaseHealthCheck implements Check {
  readonly name = 'database';
  readonly #ports: DatabaseHealthCheckPorts;
  readonly #loss: OutageLog;
  readonly #asking: PeriodicTask;
  #askedAt: number;

  constructor(ports: DatabaseHealthCheckPorts) {
    this.#ports = ports;
    this.#askedAt = ports.clock.now();
    this.#loss = new OutageLog(words, ports);
    this.#asking = new PeriodicTask({
      clock: ports.clock,
      everyMs: askEveryMs,
      run: async () => this.#ask(),
      // A question may hang for long before it fails.
      onFailure: (error) => this.#loss.lost(error, this.#askedAt),
    });
  }

  start(): void {
    this.#asking.start();
  }

  /** A question may hang, and whoever stops need not know its answer. */
  stop(): void {
    void this.#asking.stop();
  }

  check(): string | undefined {
    const silentMs = this.#loss.lastsMs ?? 0;
    if (silentMs <= silenceMaxMs) return undefined;
    const [silent, limit] = [silentMs, silenceMaxMs].map((ms) => Math.floor(ms / 1000));
    return `the database has not answered for ${silent} s, more than ${limit} s; the log says why`;
  }

  async #ask(): Promise<void> {
    this.#askedAt = this.#ports.clock.now();
    await this.#ports.ask();
    this.#loss.isWell();
  }
}
