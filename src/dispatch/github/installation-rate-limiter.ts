/**
 * Rate limits per organisation and installation. GitHub accepts 1500 registrations of an organisation in five minutes,
 * and blocks a client that continues under a limit for longer. So registrations queue per organisation, and an
 * installation with a retry time gets no requests until then.
 *
 * Replicas do not coordinate: each takes an equal share of the organisation's registrations. An unused share stays
 * unused, so the replicas together never exceed the limit.
 *
 * A caller whose slot would come too late is refused at once. Otherwise such callers would take the slots of others,
 * and more and more runners would be registered for Pods that have given up, until no Pod is served in time.
 */
import { FleetError } from '../../platform/errors/fleet-error.ts';
import type { Clock } from '../../platform/clock.ts';
import type { RateLimitOptions } from '../../platform/rate-limit.ts';
import { pacedReason, type Listener } from './port.ts';
import { FifoRateLimiter } from './fifo-rate-limiter.ts';

export interface PaceOptions {
  /** How many replicas use the same App, including this one; one unless given. */
  readonly replicas?: number;
}

const burst = 25;
/** Per organisation, for all replicas together: 1500 in any five minutes, including the burst. */
const whole: RateLimitOptions = { perSecond: (1500 - burst) / 300, burst };
/** Reserved for the answer of GitHub; a caller must have this much time left at its slot. */
const answerMs = 1000;

export class InstallationRateLimiter {
  readonly #clock: Clock;
  readonly #share: RateLimitOptions;
  readonly #lines = new Map<string, FifoRateLimiter>();
  readonly #rests = new Map<string, number>();

  constructor(clock: Clock, { replicas = 1 }: PaceOptions = {}) {
    this.#clock = clock;
    this.#share = shareOf(replicas);
  }

  /**
   * Resolves when a runner of this organisation may be registered. Throws at once if the slot comes too late; an abort
   * frees the slot.
   */
  async slot(organisation: string, { until, signal }: Listener, doing: string): Promise<void> {
    const line = this.#lineOf(organisation);
    const [now, dueAt] = [this.#clock.now(), line.nextSlotAt()];
    if (dueAt > now && dueAt + answerMs > until) {
      const message = `${doing}: not sent, too many registrations are waiting for ${organisation}`;
      throw new FleetError('notYet', { reason: pacedReason, message }, { retryAt: dueAt + answerMs });
    }
    await line.slot(signal);
  }

  /** Throws if the client is gone or its time is over; to be called right before the request. */
  mayAnswer({ until, signal }: Listener, doing: string): void {
    if (signal?.aborted !== true && this.#clock.now() <= until) return;
    const message = `${doing}: not sent, the poll is over`;
    throw new FleetError('notYet', { reason: pacedReason, message });
  }

  #lineOf(organisation: string): FifoRateLimiter {
    const known = this.#lines.get(organisation);
    const line = known ?? new FifoRateLimiter(this.#clock, this.#share);
    if (known === undefined) this.#lines.set(organisation, line);
    return line;
  }

  rest(installation: string, until: number): void {
    this.#rests.set(installation, Math.max(until, this.#rests.get(installation) ?? 0));
  }

  /** Throws `notYet` before the retry time of GitHub. */
  mayAsk(installation: string, doing: string): void {
    const until = this.#rests.get(installation);
    if (until === undefined) return;
    if (until <= this.#clock.now()) this.#rests.delete(installation);
    else
      throw new FleetError(
        'notYet',
        { reason: 'RateLimited', message: `${doing}: not sent, GitHub's rate limit is used up` },
        { retryAt: until },
      );
  }
}

/** A burst below one would block forever, so with more than 25 replicas each still has a burst of one. */
function shareOf(replicas: number): RateLimitOptions {
  return {
    perSecond: whole.perSecond / replicas,
    burst: Math.max(1, Math.floor(whole.burst / replicas)),
  };
}
