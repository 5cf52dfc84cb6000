/**
 * Webhooks that GitHub could not deliver: it sends them again only when asked. The log of deliveries is read as it is, without
 * the filter for failures, which would hide that a second attempt was taken.
 *
 * After an outage there may be more than one turn asks for. Such a turn is not a good one, so that the next reads the log from
 * the same time on: what was taken meanwhile is not asked for again, and what failed again comes after what was not asked for.
 */
import { FleetError, isFleetError } from '../../errors/fleet-error.ts';
import type { HookDelivery } from '../github/port.ts';
import { draftOf, type RecoveryPorts, type Tick, type Worker } from './worker.ts';

export interface RedeliveryLimits {
  readonly lookBackMs: number;
  /** After an outage the log is read from before it began, but not further back than this. */
  readonly lookBackMaxMs: number;
  /** No more in one turn. */
  readonly max: number;
}

export const redeliveryLimits: RedeliveryLimits = {
  lookBackMs: 900_000,
  lookBackMaxMs: 86_400_000,
  max: 100,
};

const ours = new Set(['workflow_job', 'installation']);

/** The newest attempt of each that was never taken: those about installations, without which no job is ours, then the oldest. */
export function decideRedeliveries(
  deliveries: readonly HookDelivery[],
  since: number,
): readonly HookDelivery[] {
  const relevant = deliveries.filter(({ event }) => ours.has(event));
  const isOfJob = ({ event }: HookDelivery): number => (event === 'installation' ? 0 : 1);
  return [...Map.groupBy(relevant, ({ guid }) => guid).values()]
    .filter((attempts) => !attempts.some(({ wasAccepted }) => wasAccepted))
    .flatMap((attempts) => attempts.toSorted((a, b) => b.deliveredAt - a.deliveredAt).slice(0, 1))
    .filter(({ deliveredAt }) => deliveredAt >= since)
    .toSorted((a, b) => isOfJob(a) - isOfJob(b) || a.deliveredAt - b.deliveredAt);
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
    const { lookBackMs, lookBackMaxMs, max } = this.#limits;
    const since = Math.max(at - lookBackMaxMs, Math.min(at, goodAt ?? at) - lookBackMs);
    const failed = decideRedeliveries(await this.#ports.github.deliveries(since), since);
    for (const delivery of failed.slice(0, max)) await this.#ask(delivery, at);
    if (failed.length <= max) return;
    const message = `${failed.length - max} more deliveries are asked for in the next turns`;
    throw new FleetError('notYet', { reason: 'MoreDeliveries', message });
  }

  async #ask({ id, guid, event, deliveredAt }: HookDelivery, at: number): Promise<void> {
    const { github, store, recovered, say } = this.#ports;
    const evidence = { guid, event, attempt: id, failedForMs: at - deliveredAt };
    try {
      await github.redeliver(id);
    } catch (error) {
      // Too old for GitHub, or it does not want to: the looks at jobs make good what it was about.
      if (!isFleetError(error, 'gone') && !isFleetError(error, 'rejected')) throw error;
      return say('GitHub does not send a delivery again', { guid, error });
    }
    await store.record({ ...draftOf(this.#ports, 'redelivered', { evidence }), outcome: 'asked' });
    recovered('redelivered', { evidence });
  }
}
