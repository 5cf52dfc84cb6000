/**
 * Checks whether the database answers this replica, on the query connections. The LISTEN connection does not count: it
 * may live while queries fail, and its loss only delays wakes. A replica without an answer for a while is unready,
 * since another replica may reach the database.
 */
import type { Clock } from '../../platform/clock.ts';
import type { Logger } from '../../platform/logger.ts';
import type { Check } from '../../platform/process/health-check.ts';
import { OutageLog } from './outage-log.ts';
import { PeriodicTask } from '../../platform/periodic-task.ts';

export interface DatabaseHealthCheckPorts {
  readonly clock: Clock;
  readonly logger: Pick<Logger, 'info' | 'warn'>;
  /** A small query on any connection. */
  readonly ask: () => Promise<unknown>;
}

const askEveryMs = 2000;
/** Longer than a failover or a restart of the database, so that these do not make all replicas unready. */
const silenceMaxMs = 30_000;
const words = { lost: 'lost connection to database', isBack: 'reconnected to database' };

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
      // A query may hang for long, so the outage counts from its start.
      onFailure: (error) => this.#loss.lost(error, this.#askedAt),
    });
  }

  start(): void {
    this.#asking.start();
  }

  /** Does not wait for the current query, which may hang. */
  stop(): void {
    void this.#asking.stop();
  }

  check(): string | undefined {
    const silentMs = this.#loss.lastsMs ?? 0;
    if (silentMs <= silenceMaxMs) return undefined;
    const [silent, limit] = [silentMs, silenceMaxMs].map((ms) => Math.floor(ms / 1000));
    return `the database has not answered for ${silent} s, more than ${limit} s; see the log`;
  }

  async #ask(): Promise<void> {
    this.#askedAt = this.#ports.clock.now();
    await this.#ports.ask();
    this.#loss.isWell();
  }
}
