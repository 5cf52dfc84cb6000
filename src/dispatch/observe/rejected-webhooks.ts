/** Counts rejected webhooks, and logs one per minute, since one sender can cause thousands. */
import type { Clock } from '../../platform/clock.ts';
import type { WebhookRejection } from '../api/dispatch-server.ts';
import type { Say } from './log-levels.ts';

const reportEveryMs = 60_000;

export interface RejectedWebhooksPorts {
  readonly clock: Pick<Clock, 'now'>;
  readonly counted: (miss: WebhookRejection) => void;
  readonly say: Say;
}

export class RejectedWebhooks {
  readonly #ports: RejectedWebhooksPorts;
  #unreported = 0;
  #reportedAt = -Infinity;

  constructor(ports: RejectedWebhooksPorts) {
    this.#ports = ports;
  }

  note(why: WebhookRejection, error: unknown): void {
    const { clock, counted, say } = this.#ports;
    counted(why);
    this.#unreported += 1;
    if (clock.now() - this.#reportedAt < reportEveryMs) return;
    say('rejected webhooks; those of GitHub will be redelivered', {
      webhooks: this.#unreported,
      why,
      error,
    });
    this.#unreported = 0;
    this.#reportedAt = clock.now();
  }
}
