/**
 * Orders the wipe of a stranded host and its return to the pool. Each host is proved from stored objects. Machines are
 * read last, so a machine that appears meanwhile can only save a host.
 */
import { isFleetError } from '../../platform/errors/fleet-error.ts';
import { nextTransition } from '../state/host-state-machine.ts';
import { macHosts, recordOf } from '../state/objects.ts';
import { timeText } from '../../platform/time-text.ts';
import { freshRead } from '../../kube/reconciler/fresh-read.ts';
import type { ActionResult } from '../../kube/reconciler/plan.ts';
import { whyNot, type Action, type Observed } from './plan.ts';
import type { OrphanReclaimerPorts } from './ports.ts';

type Ports = Pick<
  OrphanReclaimerPorts,
  'client' | 'now' | 'poolPrefix' | 'reclaimed' | 'completeView' | 'intervalMs'
>;

export class Reclaims {
  readonly #ports: Ports;
  #reclaimedAt: readonly number[] = [];

  constructor(ports: Ports) {
    this.#ports = ports;
  }

  /** The number of orders within the last period. */
  lately(now: number): number {
    this.#reclaimedAt = this.#reclaimedAt.filter((at) => now - at < this.#ports.intervalMs);
    return this.#reclaimedAt.length;
  }

  async reclaim({ host }: Action, observed: Observed): Promise<ActionResult> {
    const { client, now, poolPrefix, reclaimed, completeView } = this.#ports;
    const { object: current } = await freshRead(client, macHosts, { name: host.metadata.name });
    if (current === undefined) return 'precondition-lost';
    // mutation: sweep-decides-on-fresh-view
    const isStranded = nextTransition(recordOf(current), await completeView(), now()).state === 'Stranded';
    const { name, resourceVersion } = current.metadata;
    if (!isStranded || whyNot(current, observed) !== undefined) return 'precondition-lost';
    const { os, name: serverName } = current.status?.observed ?? {};
    const release = {
      policy: 'pool',
      poolPrefix,
      orderedBy: 'sweep',
      orderedAt: timeText(now()),
      osFamily: os?.family ?? '',
      serverName,
    };
    await this.#counted(() =>
      client.patch(macHosts, { name }, { merge: { metadata: { resourceVersion }, spec: { release } } }),
    );
    reclaimed();
    return 'requested';
  }

  /**
   * An order whose answer was lost may have been stored, so it counts against the cap. Only a refused order does not.
   */
  async #counted(order: () => Promise<unknown>): Promise<void> {
    const before = this.#reclaimedAt;
    this.#reclaimedAt = [...before, this.#ports.now()];
    try {
      await order();
    } catch (error) {
      if (!isFleetError(error, 'unavailable')) this.#reclaimedAt = before;
      throw error;
    }
  }
}
