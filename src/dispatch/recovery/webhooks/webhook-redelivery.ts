/**
 * Webhooks that GitHub could not deliver: it sends them again only when asked. The log of deliveries is read as it is, without
 * the filter for failures, which would hide that a second attempt was taken.
 *
 * After an outage there may be more than one turn asks for. Such a turn is not a good one, so that the next reads the log from
 * the same time on: what was taken meanwhile is not asked for again, and what failed again comes after what was not asked for.
 *
 * The log is read as the App, which gets all tokens too. So a turn reads no more than so many pages, and no more than one once half of the
 * App's requests are spent, and asks for what failed among what it read. What it had no requests for is read when there are some
 * again. What lies beyond the last page is given up, or a log that has grown too long would be read for ever and never to
 * its end: the looks at jobs and installations make good what it was about.
 */
import { FleetError, isFleetError } from '../../../platform/errors/fleet-error.ts';
import type { HookDelivery } from '../../github/port.ts';
import { draftOf, type RecoveryPorts, type Tick, type Worker } from '../scheduler/worker.ts';

export interface RedeliveryLimits {
  readonly lookBackMs: number;
  /** After an outage the log is read from before it began, but not further back than this. */
  readonly lookBackMaxMs: number;
  /** No more in one turn. */
  readonly max: number;
  /** Of the log, in one turn: in an hour of turns not half of what the App may ask, which is 5000. */
  readonly pagesMax: number;
}

export const redeliveryLimits: RedeliveryLimits = {
  lookBackMs: 900_000,
  lookBackMaxMs: 86_400_000,
  max: 100,
  pagesMax: 200,
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
    const { github, say } = this.#ports;
    const { lookBackMs, lookBackMaxMs, max, pagesMax } = this.#limits;
    const since = Math.max(at - lookBackMaxMs, Math.min(at, goodAt ?? at) - lookBackMs);
    const { deliveries, endedBy } = await github.deliveries({ since, pagesMax });
    const span = { wantedMs: at - since, readMs: at - (deliveries.at(-1)?.deliveredAt ?? at) };
    if (endedBy !== undefined) say('the log of deliveries was not read to its end', { endedBy, ...span });
    const failed = decideRedeliveries(deliveries, since);
    for (const delivery of failed.slice(0, max)) await this.#ask(delivery, at);
    if (failed.length > max)
      throw notYet(`${failed.length - max} more deliveries are asked for in the next turns`);
    if (endedBy === 'requests')
      throw notYet('older deliveries are read when the App has requests left for them');
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

function notYet(message: string): FleetError {
  return new FleetError('notYet', { reason: 'MoreDeliveries', message });
}
