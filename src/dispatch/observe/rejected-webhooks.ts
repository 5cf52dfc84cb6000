/** Webhooks that were not taken: each is counted, and now and then one is told, since who causes one can cause thousands. */
import type { Clock } from '../../platform/clock.ts';
import type { WebhookMiss } from '../api/dispatch-server.ts';
import type { Say } from './log-levels.ts';

const reportEveryMs = 60_000;

export interface WebhookMissesPorts {
  readonly clock: Pick<Clock, 'now'>;
  readonly counted: (miss: WebhookMiss) => void;
  readonly say: Say;
}

export class RejectedWebhooks {
  readonly #ports: WebhookMissesPorts;
  #untold = 0;
  #reportedAt = -Infinity;

  constructor(ports: WebhookMissesPorts) {
    this.#ports = ports;
  }

  note(why: WebhookMiss, error: unknown): void {
    const { clock, counted, say } = this.#ports;
    counted(why);
    this.#untold += 1;
    if (clock.now() - this.#reportedAt < reportEveryMs) return;
    say('webhooks were not taken; what GitHub sent is asked for again', {
      webhooks: this.#untold,
      why,
      error,
    });
    this.#untold = 0;
    this.#reportedAt = clock.now();
  }
}
