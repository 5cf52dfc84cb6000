/**
 * How often one installation may be spoken for. GitHub takes 1500 registrations in five minutes from an organisation, and
 * whoever goes on asking under a limit is shut out for longer; so registrations queue per organisation, and an
 * installation that was told to wait is not asked about anything until then.
 *
 * Replicas do not ask each other: each takes an equal share of what the organisation may register. A share that is not used
 * is nobody else's, so that together they never take more than the whole.
 *
 * Nobody queues for an answer that would come too late. Those who did would keep the place of others, and more and more
 * would be registered for Pods that have long given up, until nobody is served in time.
 */
import { FleetError } from '../../platform/errors/fleet-error.ts';
import type { Clock } from '../../platform/clock.ts';
import type { RateLimitOptions } from '../../platform/rate-limit.ts';
import { pacedReason, type Listener } from './port.ts';
import { FifoRateLimiter } from './fifo-rate-limiter.ts';

export interface PaceOptions {
  /** How many replicas register runners with the same App, this one included; one unless given. */
  readonly replicas?: number;
}

const burst = 25;
/** Of one organisation, by all replicas together: in any five minutes 1500, those that go at once among them. */
const whole: RateLimitOptions = { perSecond: (1500 - burst) / 300, burst };
/** What GitHub may take to answer: whoever has to wait must have that much time left at its turn. */
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

  /** Resolves when a runner of this organisation may be registered. Throws at once where that is too late; who leaves is let go. */
  async slot(organisation: string, { until, signal }: Listener, doing: string): Promise<void> {
    const line = this.#lineOf(organisation);
    const [now, dueAt] = [this.#clock.now(), line.nextSlotAt()];
    if (dueAt > now && dueAt + answerMs > until) {
      const message = `${doing}: not asked, too many wait for a registration at ${organisation}`;
      throw new FleetError('notYet', { reason: pacedReason, message }, { retryAt: dueAt + answerMs });
    }
    await line.slot(signal);
  }

  /** Throws where nobody would hear the answer; to be asked right before the request. */
  mayAnswer({ until, signal }: Listener, doing: string): void {
    if (signal?.aborted !== true && this.#clock.now() <= until) return;
    const message = `${doing}: not asked, nobody waits for the answer any more`;
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

  /** Throws `notYet` where GitHub told us to wait. */
  mayAsk(installation: string, doing: string): void {
    const until = this.#rests.get(installation);
    if (until === undefined) return;
    if (until <= this.#clock.now()) this.#rests.delete(installation);
    else
      throw new FleetError(
        'notYet',
        { reason: 'RateLimited', message: `${doing}: not asked, GitHub told us to wait` },
        { retryAt: until },
      );
  }
}

/** Where less than one could go at once, nobody ever would: more than 25 replicas let one go each. */
function shareOf(replicas: number): RateLimitOptions {
  return {
    perSecond: whole.perSecond / replicas,
    burst: Math.max(1, Math.floor(whole.burst / replicas)),
  };
}
