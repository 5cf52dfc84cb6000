/**
 * Webhooks that GitHub could not deliver: it sends them again only when asked. The log of deliveries is read as it is, without
 * the filter for failures, which would hide that a second attempt was taken.
 */
import { isFleetError } from '../../errors/fleet-error.ts';
import type { HookDelivery } from '../github/port.ts';
import { draftOf, type RecoveryPorts, type Tick, type Worker } from './worker.ts';

export interface RedeliveryLimits {
  readonly lookBackMs: number;
  /** After an outage the log is read from before it began, but not further back than this. */
  readonly lookBackMaxMs: number;
  readonly max: number;
}

export const redeliveryLimits: RedeliveryLimits = {
  lookBackMs: 900_000,
  lookBackMaxMs: 86_400_000,
  max: 100,
};

const ours = new Set(['workflow_job', 'installation']);

/** The newest attempt of each that was never taken, oldest first. */
export function decideRedeliveries(
  deliveries: readonly HookDelivery[],
  { since, max }: { readonly since: number; readonly max: number },
): readonly HookDelivery[] {
  const relevant = deliveries.filter(({ event }) => ours.has(event));
  return [...Map.groupBy(relevant, ({ guid }) => guid).values()]
    .filter((attempts) => !attempts.some(({ wasAccepted }) => wasAccepted))
    .flatMap((attempts) => attempts.toSorted((a, b) => b.deliveredAt - a.deliveredAt).slice(0, 1))
    .filter(({ deliveredAt }) => deliveredAt >= since)
    .toSorted((a, b) => a.deliveredAt - b.deliveredAt)
    .slice(0, max);
}

export class WebhookRedelivery implements Worker {
  readonly name = 'webhook-redelivery';
  readonly everyMs = 300_000;
  readonly #ports: RecoveryPorts;
  readonly #limits: RedeliveryLimits;

  constructor(ports: RecoveryPorts, limits: RedeliveryLimits = redeliveryLimits) {
    this.#ports = ports;
    this.#limits = limits;
  }

  async run({ at, goodAt }: Tick): Promise<void> {
    const { github, store, recovered, say } = this.#ports;
    const { lookBackMs, lookBackMaxMs, max } = this.#limits;
    const since = Math.max(at - lookBackMaxMs, Math.min(at, goodAt ?? at) - lookBackMs);
    for (const { id, guid, event, deliveredAt } of decideRedeliveries(await github.deliveries(since), {
      since,
      max,
    })) {
      const evidence = { guid, event, attempt: id, failedForMs: at - deliveredAt };
      try {
        await github.redeliver(id);
      } catch (error) {
        // Too old for GitHub, or it does not want to: the looks at jobs make good what it was about.
        if (!isFleetError(error, 'gone') && !isFleetError(error, 'rejected')) throw error;
        say('GitHub does not send a delivery again', { guid, error });
        continue;
      }
      await store.record({ ...draftOf(this.#ports, 'redelivered', { evidence }), outcome: 'asked' });
      recovered('redelivered', { evidence });
    }
  }
}
