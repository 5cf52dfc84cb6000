/**
 * How often one installation may be spoken for. GitHub takes 1500 registrations in five minutes from an organisation, and
 * whoever goes on asking under a limit is shut out for longer; so registrations queue per organisation, and an
 * installation that was told to wait is not asked about anything until then.
 */
import { FleetError } from '../../errors/fleet-error.ts';
import type { Clock } from '../../runtime/clock.ts';
import { RateLimit, type RateLimitOptions } from '../../runtime/rate-limit.ts';

const registrations: RateLimitOptions = { perSecond: 5, burst: 25 };

export class Pace {
  readonly #clock: Clock;
  readonly #limits = new Map<string, RateLimit>();
  readonly #rests = new Map<string, number>();

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** Resolves when a runner of this organisation may be registered. */
  async turn(organisation: string): Promise<void> {
    const known = this.#limits.get(organisation);
    const limit = known ?? new RateLimit(this.#clock, registrations);
    if (known === undefined) this.#limits.set(organisation, limit);
    await limit.turn();
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
