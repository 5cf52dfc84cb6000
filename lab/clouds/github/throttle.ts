/** The three rate-limit responses of GitHub. */
import type { Clock } from '../../../src/platform/clock.ts';
import { refusal, type SiteReply } from './site-request.ts';

/** `primary`: 403 with the end of the hour. `secondary`: 403 with seconds to wait. `too-many`: a bare 429. */
export const throttleForms = ['primary', 'secondary', 'too-many'] as const;
export type ThrottleForm = (typeof throttleForms)[number];

export class Throttle {
  readonly #clock: Pick<Clock, 'now'>;
  #until = 0;
  #form: ThrottleForm = 'primary';

  constructor(clock: Pick<Clock, 'now'>) {
    this.#clock = clock;
  }

  begin(forMs: number, form: ThrottleForm): void {
    this.#until = this.#clock.now() + forMs;
    this.#form = form;
  }

  /** Undefined while no limit is reached. */
  refusal(): SiteReply | undefined {
    const leftMs = this.#until - this.#clock.now();
    if (leftMs <= 0) return undefined;
    if (this.#form === 'too-many') return refusal(429, 'Too many requests');
    if (this.#form === 'secondary')
      return {
        ...refusal(403, 'You have exceeded a secondary rate limit. Please wait a few minutes.'),
        headers: { 'retry-after': String(Math.ceil(leftMs / 1000)) },
      };
    return {
      ...refusal(403, 'API rate limit exceeded for installation.'),
      headers: {
        'x-ratelimit-limit': '5000',
        'x-ratelimit-remaining': '0',
        'x-ratelimit-reset': String(Math.ceil(this.#until / 1000)),
      },
    };
  }
}
