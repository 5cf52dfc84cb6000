/**
 * Limits how often one Pod may poll. The Pod's token is readable by the untrusted job in the Pod, which must not slow
 * down other Pods by polling without pause.
 */
import { FleetError } from '../../platform/errors/fleet-error.ts';
import type { PodRef } from '../store/rows.ts';

/** A well-behaved guest pauses two seconds after anything but an answer. */
const everyMs = 500;
const atOnce = 20;

export class PollRateLimiter {
  /** When the Pod will have used up its polls, by uid; the least recent poll comes first. */
  readonly #restedAt = new Map<string, number>();

  /** Throws if the Pod polls too often; that poll is not counted. */
  count({ name, uid }: PodRef, now: number): void {
    const restedAt = Math.max(this.#restedAt.get(uid) ?? 0, now);
    if (restedAt - now > (atOnce - 1) * everyMs)
      throw new FleetError('unavailable', { reason: 'TooManyPolls', message: `${name} polls too often` });
    this.#restedAt.delete(uid);
    this.#restedAt.set(uid, restedAt + everyMs);
    this.#forget(now);
  }

  /** Evict up to two expired entries per call to bound memory. */
  #forget(now: number): void {
    for (const [uid, restedAt] of this.#restedAt.entries().take(2))
      if (restedAt <= now) this.#restedAt.delete(uid);
  }
}
