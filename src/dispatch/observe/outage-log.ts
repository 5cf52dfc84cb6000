/** Logs an outage when it starts, once a minute while it lasts, and when it ends. */
import type { Clock } from '../../platform/clock.ts';
import type { Logger } from '../../platform/logger.ts';

export interface OutageLogPorts {
  readonly clock: Pick<Clock, 'now'>;
  readonly logger: Pick<Logger, 'info' | 'warn'>;
}

export interface OutageMessages {
  readonly lost: string;
  readonly isBack: string;
}

const reportEveryMs = 60_000;

export class OutageLog {
  readonly #words: OutageMessages;
  readonly #ports: OutageLogPorts;
  #lostAt: number | undefined;
  #reportedAt = -Infinity;

  constructor(words: OutageMessages, ports: OutageLogPorts) {
    this.#words = words;
    this.#ports = ports;
  }

  /** Duration of the outage; undefined if there is none. */
  get lastsMs(): number | undefined {
    return this.#lostAt === undefined ? undefined : this.#ports.clock.now() - this.#lostAt;
  }

  /** Call at each failure. `since` counts for the first failure only. */
  lost(error: unknown, since: number = this.#ports.clock.now()): void {
    const { clock, logger } = this.#ports;
    const now = clock.now();
    this.#lostAt ??= since;
    if (now - this.#reportedAt < reportEveryMs) return;
    this.#reportedAt = now;
    const seconds = Math.floor((now - this.#lostAt) / 1000);
    logger.warn(this.#words.lost, { error, seconds });
  }

  /** Call at each success. */
  isWell(): void {
    const { lastsMs } = this;
    this.#lostAt = undefined;
    this.#reportedAt = -Infinity;
    if (lastsMs === undefined) return;
    this.#ports.logger.info(this.#words.isBack, { seconds: Math.floor(lastsMs / 1000) });
  }
}
