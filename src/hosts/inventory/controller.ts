/**
 * Keeps one MacHost for every server that the credentials can see. One complete listing of each zone per period is
 * all that the other controllers know of the provider between two actions. An incomplete listing is ignored.
 */
import type { ProviderReason } from '../../api/conditions/reasons.ts';
import { isFleetError, type FleetError } from '../../platform/errors/fleet-error.ts';
import type { Server } from '../provider/port.ts';
import type { Controller } from '../../kube/reconciler/reconciler.ts';
import type { ActionResult } from '../../kube/reconciler/plan.ts';
import { InventoryActions } from './actions.ts';
import { plan, type Action, type Observed, type Refused } from './plan.ts';
import type { InventoryPorts } from './ports.ts';

/**
 * A listing has no argument but its zone. Scaleway answers an unknown zone with 404, or with 400 "Unknown zone in
 * path".
 */
const refusalReasons: ReadonlySet<string> = new Set<ProviderReason>(['NotFound', 'InvalidArguments']);

export class Inventory implements Controller<Observed | Refused, Action> {
  readonly name = 'inventory';
  readonly plan = plan;
  readonly #ports: InventoryPorts;
  readonly #actions: InventoryActions;
  /** By zone: consecutive counted listings in which each host was missing. Lost in a restart, which only delays. */
  readonly #missed = new Map<string, ReadonlyMap<string, number>>();

  constructor(ports: InventoryPorts) {
    this.#ports = ports;
    this.#actions = new InventoryActions(ports);
  }

  async observe(zone: string): Promise<Observed | Refused | undefined> {
    const { provider, now, isKept } = this.#ports;
    if (!isKept(zone)) return undefined;
    const began = now();
    try {
      return this.#observed(zone, began, await provider.listServers(zone));
    } catch (error) {
      if (!isFleetError(error)) throw error;
      return this.#refused(zone, began, error);
    }
  }

  #refused(zone: string, began: number, refusal: FleetError): Refused {
    const nextAt = refusalReasons.has(refusal.reason)
      ? this.#ports.refused(zone, refusal.message)
      : undefined;
    if (nextAt === undefined) throw refusal;
    return { zone, began, refusal, nextAt };
  }

  #observed(zone: string, began: number, servers: readonly Server[]): Observed {
    const { hosts, now, intervalMs, claimPrefix, isSpokenFor, prices, listed } = this.#ports;
    const ids = servers.map(({ id }) => id);
    const counts = listed(zone, { began, at: now(), ids });
    // A MacHost restored from a backup has no zone, so its server may be in any zone.
    const inZone = hosts().filter(({ status }) => (status?.observed?.zone ?? zone) === zone);
    const known = new Map(inZone.map((host) => [host.metadata.name, host]));
    const others = hosts().filter(({ metadata }) => servers.some(({ id }) => id === metadata.name));
    for (const host of others) known.set(host.metadata.name, host);
    const seen = new Set(ids);
    const missing = [...known.keys()].filter((id) => !seen.has(id));
    const missed = this.#countMissed(zone, missing, counts);
    const nextAt = began + intervalMs;
    return { zone, began, servers, known, missed, claimPrefix, isSpokenFor, prices, nextAt };
  }

  act(action: Action, { began }: Observed | Refused): Promise<ActionResult> {
    return this.#actions.take(action, began);
  }

  status(): Promise<void> {
    return Promise.resolve();
  }

  #countMissed(zone: string, missing: readonly string[], counts: boolean): ReadonlyMap<string, number> {
    const before = this.#missed.get(zone);
    const missed = new Map(missing.map((id) => [id, (before?.get(id) ?? 0) + (counts ? 1 : 0)]));
    this.#missed.set(zone, missed);
    return missed;
  }
}
