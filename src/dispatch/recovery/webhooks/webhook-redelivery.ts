/**
 * Requests redelivery of webhooks that GitHub could not deliver: it resends them only on request. The log of deliveries
 * is read without the filter for failures, which would hide a successful second attempt.
 *
 * After an outage more deliveries may have failed than one run can request. Such a run counts as failed, so that the
 * next run reads the log from the same time on. Deliveries accepted meanwhile are not requested again, and those that
 * failed again come last.
 *
 * The log is read as the App, and minting tokens uses the same rate limit. So a run reads a limited
 * number of pages, and only one page once half of the App's requests are spent, and requests what
 * failed among the deliveries read. Pages skipped for the rate limit are read in a later run.
 * Deliveries beyond the last page are given up, else a log that has grown too long would be read
 * forever and never to its end; the polls of jobs and installations make up for them.
 */
import { FleetError, isFleetError } from '../../../platform/errors/fleet-error.ts';
import type { HookDelivery } from '../../github/port.ts';
import { draftOf, type RecoveryPorts, type Tick, type Worker } from '../scheduler/worker.ts';

export interface RedeliveryLimits {
  readonly lookBackMs: number;
  /** After an outage the log is read from before the outage, up to this limit. */
  readonly lookBackMaxMs: number;
  /** Redeliveries per run. */
  readonly max: number;
  /** Pages of the log per run: all runs of an hour use less than half of the App's 5000 requests. */
  readonly pagesMax: number;
}

export const redeliveryLimits: RedeliveryLimits = {
  lookBackMs: 900_000,
  lookBackMaxMs: 86_400_000,
  max: 100,
  pagesMax: 200,
};

const ours = new Set(['workflow_job', 'installation']);

/**
 * The newest attempt of each delivery that was never accepted:
 * `installation` events first, since jobs need them, then the oldest.
 */
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
    if (endedBy !== undefined) say('stopped reading the delivery log before its end', { endedBy, ...span });
    const failed = decideRedeliveries(deliveries, since);
    for (const delivery of failed.slice(0, max)) await this.#ask(delivery, at);
    if (failed.length > max)
      throw notYet(`${failed.length - max} more deliveries are left for the next runs`);
    if (endedBy === 'requests')
      throw notYet('older deliveries are left for a run with more requests of the App');
  }

  async #ask({ id, guid, event, deliveredAt }: HookDelivery, at: number): Promise<void> {
    const { github, store, recovered, say } = this.#ports;
    const evidence = { guid, event, attempt: id, failedForMs: at - deliveredAt };
    try {
      await github.redeliver(id);
    } catch (error) {
      // GitHub refuses, for example because the delivery is too old: the polls of jobs make up for it.
      if (!isFleetError(error, 'gone') && !isFleetError(error, 'rejected')) throw error;
      return say('failed to redeliver webhook', { guid, error });
    }
    await store.record({ ...draftOf(this.#ports, 'redelivered', { evidence }), outcome: 'asked' });
    recovered('redelivered', { evidence });
  }
}

function notYet(message: string): FleetError {
  return new FleetError('notYet', { reason: 'MoreDeliveries', message });
}
