/**
 * Whether this replica hears from its database. Its loss is logged when it happens and now and then while it lasts, for it is
 * tried again every second; and a replica that has not heard for a while is not ready: another one may reach the database.
 */
import type { Clock } from '../runtime/clock.ts';
import type { Logger } from '../runtime/logger.ts';
import type { Check } from '../runtime/process/check.ts';

export interface DatabaseHearingPorts {
  readonly clock: Pick<Clock, 'now'>;
  readonly logger: Pick<Logger, 'info' | 'warn'>;
}

const tellEveryMs = 60_000;
/** A failover or a restart of the database is over by then, and ends no replica's turn at the door. */
const silenceMaxMs = 30_000;

export class DatabaseHearing implements Check {
  readonly name = 'database';
  readonly #ports: DatabaseHearingPorts;
  #lostAt: number | undefined;
  #toldAt = -Infinity;

  constructor(ports: DatabaseHearingPorts) {
    this.#ports = ports;
  }

  /** Each time that it is noticed, also while it lasts. */
  lost(error: unknown): void {
    const { clock, logger } = this.#ports;
    const now = clock.now();
    this.#lostAt ??= now;
    if (now - this.#toldAt < tellEveryMs) return;
    this.#toldAt = now;
    const seconds = Math.floor((now - this.#lostAt) / 1000);
    logger.warn('nothing is heard from the database for now', { error, seconds });
  }

  /** It is listened to, for the first time or again. */
  heard(): void {
    const { clock, logger } = this.#ports;
    const lostAt = this.#lostAt;
    this.#lostAt = undefined;
    this.#toldAt = -Infinity;
    if (lostAt === undefined) return;
    const seconds = Math.floor((clock.now() - lostAt) / 1000);
    logger.info('the database is heard again', { seconds });
  }

  check(): string | undefined {
    if (this.#lostAt === undefined) return undefined;
    const silentMs = this.#ports.clock.now() - this.#lostAt;
    if (silentMs <= silenceMaxMs) return undefined;
    const [silent, limit] = [silentMs, silenceMaxMs].map((ms) => Math.floor(ms / 1000));
    return `the database was last heard ${silent} s ago, more than ${limit} s; the log says why`;
  }
}
