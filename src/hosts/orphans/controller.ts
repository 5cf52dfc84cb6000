/**
 * Finds stranded hosts, however they were lost, and orders their wipe and return to the pool. Decides from caches;
 * `actions.ts` proves each host from stored objects.
 */
import type { MacHostObject } from '../state/objects.ts';
import type { Controller } from '../../kube/reconciler/reconciler.ts';
import type { ActionResult } from '../../kube/reconciler/plan.ts';
import { Reclaims } from './actions.ts';
import { inventoriesNeeded, plan, unansweredIn, type Action, type Observed } from './plan.ts';
import type { OrphanReclaimerPorts } from './ports.ts';
import { eventsFor } from './status.ts';

export class OrphanReclaimer implements Controller<Observed, Action> {
  readonly name = 'orphan-reclaimer';
  readonly plan = plan;
  readonly events = eventsFor;
  readonly #ports: OrphanReclaimerPorts;
  readonly #reclaims: Reclaims;
  /**
   * The number of the inventory at which each host was first found stranded. Lost in a restart, which only delays.
   */
  readonly #since = new Map<string, number>();
  #passedAt = Number.NEGATIVE_INFINITY;

  constructor(ports: OrphanReclaimerPorts) {
    this.#ports = ports;
    this.#reclaims = new Reclaims(ports);
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
    const limits = { reclaimsMax, reclaimedLately: this.#reclaims.lately(base.now), isReclaimDue };
    return Promise.resolve({ ...base, ...limits, nextAt, seenStranded, claimPrefix, poolPrefix });
  }

  act(action: Action, observed: Observed): Promise<ActionResult> {
    return this.#reclaims.reclaim(action, observed);
  }

  status(): Promise<void> {
    return Promise.resolve();
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
