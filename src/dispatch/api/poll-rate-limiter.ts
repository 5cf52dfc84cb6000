/**
 * How often one Pod may poll. Its token lies where the job of a stranger runs: one that never rests must not keep the others
 * waiting.
 */
import { FleetError } from '../../platform/errors/fleet-error.ts';
import type { PodRef } from '../store/rows.ts';

/** A guest rests for two seconds after whatever is not an answer. */
const everyMs = 500;
const atOnce = 20;

export class PollRateLimiter {
  /** By the uid of a Pod, when it will have rested enough for all that it asked; who asked longest ago comes first. */
  readonly #restedAt = new Map<string, number>();

  /** Throws when it is too soon; that poll counts for nothing. */
  count({ name, uid }: PodRef, now: number): void {
    const restedAt = Math.max(this.#restedAt.get(uid) ?? 0, now);
    if (restedAt - now > (atOnce - 1) * everyMs)
      throw new FleetError('unavailable', { reason: 'TooManyPolls', message: `${name} polls too often` });
    this.#restedAt.delete(uid);
    this.#restedAt.set(uid, restedAt + everyMs);
    this.#forget(now);
  }

  /** As many as come are forgotten, so that they do not become more. */
  #forget(now: number): void {
    for (const [uid, restedAt] of this.#restedAt.entries().take(2))
      if (restedAt <= now) this.#restedAt.delete(uid);
  }
}
