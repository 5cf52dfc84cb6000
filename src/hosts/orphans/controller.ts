/**
 * Finds stranded hosts, however they were lost, and orders their wipe and return to the pool. Decides from caches,
 * and proves each host from stored objects. Machines are read last, so a machine that appears meanwhile can only save
 * a host.
 */
import { isFleetError } from '../../platform/errors/fleet-error.ts';
import type { FleetView } from '../state/host-state.ts';
import { nextTransition } from '../state/host-state-machine.ts';
import { macHosts, recordOf, type MacHostObject } from '../state/objects.ts';
import { timeText } from '../../platform/time-text.ts';
import type { Controller } from '../../kube/reconciler/reconciler.ts';
import { freshRead } from '../../kube/reconciler/fresh-read.ts';
import { subjectOf, type EventDraft } from '../../kube/reconciler/event-draft.ts';
import type { ActionResult, Report } from '../../kube/reconciler/plan.ts';
import type { KubeClient } from '../../kube/client/client.ts';
import { inventoriesNeeded, plan, unansweredIn, whyNot, type Action, type Observed } from './plan.ts';

export interface SweepPorts {
  readonly client: KubeClient;
  readonly hosts: () => readonly MacHostObject[];
  readonly view: () => FleetView;
  /** Like `view`, with every machine read from the API server. */
  readonly completeView: () => Promise<FleetView>;
  /** Number of complete inventories of the zone so far. */
  readonly inventories: (zone: string) => number;
  readonly now: () => number;
  readonly intervalMs: number;
  readonly claimPrefix: string;
  readonly poolPrefix: string;
  readonly reclaimsMax: number;
  /** Called after each pass with the hosts without an owner. */
  readonly counted: (unanswered: readonly MacHostObject[]) => void;
  readonly reclaimed: () => void;
}

export class Sweep implements Controller<Observed, Action> {
  readonly name = 'sweep';
  readonly plan = plan;
  readonly #ports: SweepPorts;
  /**
   * The number of the inventory at which each host was first found stranded. Lost in a restart, which only delays.
   */
  readonly #since = new Map<string, number>();
  #reclaimedAt: readonly number[] = [];
  #passedAt = Number.NEGATIVE_INFINITY;

  constructor(ports: SweepPorts) {
    this.#ports = ports;
  }

  observe(): Promise<Observed> {
    const { hosts, view, now, intervalMs, claimPrefix, poolPrefix, reclaimsMax, counted } = this.#ports;
    const base = { now: now(), hosts: hosts(), view: view() };
    const unanswered = unansweredIn(base);
    const seenStranded = this.#count(unanswered);
    counted(unanswered.filter(({ metadata }) => (seenStranded.get(metadata.name) ?? 0) >= inventoriesNeeded));
    const isReclaimDue = base.now - this.#passedAt >= intervalMs;
    if (isReclaimDue) this.#passedAt = base.now;
    const nextAt = this.#passedAt + intervalMs;
    this.#reclaimedAt = this.#reclaimedAt.filter((at) => base.now - at < intervalMs);
    const limits = { reclaimsMax, reclaimedLately: this.#reclaimedAt.length, isReclaimDue };
    return Promise.resolve({ ...base, ...limits, nextAt, seenStranded, claimPrefix, poolPrefix });
  }

  async act({ host }: Action, observed: Observed): Promise<ActionResult> {
    const { client, now, poolPrefix, reclaimed, completeView } = this.#ports;
    const { object: current } = await freshRead(client, macHosts, { name: host.metadata.name });
    if (current === undefined) return 'overtaken';
    // mutation: sweep-decides-on-fresh-view
    const isStranded = nextTransition(recordOf(current), await completeView(), now()).state === 'Stranded';
    const { name, resourceVersion } = current.metadata;
    if (!isStranded || whyNot(current, observed) !== undefined) return 'overtaken';
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
    return 'asked';
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

  status(): Promise<void> {
    return Promise.resolve();
  }

  events(_observed: Observed, { results }: Report<Action>): readonly EventDraft[] {
    return results.flatMap(({ action, outcome }): readonly EventDraft[] => {
      if (outcome !== 'asked') return [];
      const subject = subjectOf(macHosts, action.host);
      const message =
        'no machine spoke for the host in two inventories, so the host is wiped and returned to the pool';
      return [{ subject, type: 'Warning', reason: 'Stranded', message }];
    });
  }

  #count(stranded: readonly MacHostObject[]): ReadonlyMap<string, number> {
    const { inventories } = this.#ports;
    const ids = new Set(stranded.map(({ metadata }) => metadata.name));
    for (const id of this.#since.keys()) if (!ids.has(id)) this.#since.delete(id);
    const counts = stranded.map(({ metadata, status }): readonly [string, number] => {
      const done = inventories(status?.observed?.zone ?? '');
      // The first inventory to show the host as stranded is the one before this pass.
      const first = this.#since.get(metadata.name) ?? Math.max(done - 1, 0);
      this.#since.set(metadata.name, first);
      return [metadata.name, done - first];
    });
    return new Map(counts);
  }
}
