/** A loss that is noticed again and again is logged when it happens, once a minute while it lasts, and when it is over. */
import type { Clock } from '../../platform/clock.ts';
import type { Logger } from '../../platform/logger.ts';

export interface LossLogPorts {
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
  readonly #ports: LossLogPorts;
  #lostAt: number | undefined;
  #reportedAt = -Infinity;

  constructor(words: OutageMessages, ports: LossLogPorts) {
    this.#words = words;
    this.#ports = ports;
  }

  /** How long it has lasted; undefined while all is well. */
  get lastsMs(): number | undefined {
    return this.#lostAt === undefined ? undefined : this.#ports.clock.now() - this.#lostAt;
  }

  /** Each time that it is noticed. `since` counts for the first time. */
  lost(error: unknown, since: number = this.#ports.clock.now()): void {
    const { clock, logger } = this.#ports;
    const now = clock.now();
    this.#lostAt ??= since;
    if (now - this.#reportedAt < reportEveryMs) return;
    this.#reportedAt = now;
    const seconds = Math.floor((now - this.#lostAt) / 1000);
    logger.warn(this.#words.lost, { error, seconds });
  }

  /** Also while nothing is lost. */
  isWell(): void {
    const { lastsMs } = this;
    this.#lostAt = undefined;
    this.#reportedAt = -Infinity;
    if (lastsMs === undefined) return;
    this.#ports.logger.info(this.#words.isBack, { seconds: Math.floor(lastsMs / 1000) });
  }
}
