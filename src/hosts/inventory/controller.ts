/**
 * Keeps one MacHost for every server that the credentials can see. One complete listing of each zone per period is
 * all that the other controllers know of the provider between two actions. An incomplete listing is ignored.
 */
import { goneStatus } from '../state/host-record.ts';
import type { ProviderReason } from '../../api/conditions/reasons.ts';
import { hasChanged, pricedOf } from '../state/observed-server.ts';
import { macHosts, type MacHostObject } from '../state/objects.ts';
import { isFleetError, type FleetError } from '../../platform/errors/fleet-error.ts';
import type { Provider, Server } from '../provider/port.ts';
import type { Controller } from '../../kube/reconciler/reconciler.ts';
import { freshRead } from '../../kube/reconciler/fresh-read.ts';
import type { ActionResult } from '../../kube/reconciler/plan.ts';
import type { KubeClient } from '../../kube/client/client.ts';
import { plan, type Action, type Observed, type Refused } from './plan.ts';

interface Read {
  readonly server: Server;
  readonly isCurrent: boolean;
}

export interface CompleteListing {
  /** When the listing was requested. */
  readonly began: number;
  /** When the listing was complete. */
  readonly at: number;
  readonly ids: readonly string[];
}

export interface InventoryPorts {
  readonly provider: Pick<Provider, 'listServers' | 'getServer'>;
  readonly client: KubeClient;
  readonly hosts: () => readonly MacHostObject[];
  readonly now: () => number;
  readonly intervalMs: number;
  readonly claimPrefix: string;
  readonly isSpokenFor: Observed['isSpokenFor'];
  readonly prices: Observed['prices'];
  /** Whether the zone is still in use. */
  readonly isKept: (zone: string) => boolean;
  /** All zones that are listed. */
  readonly zones: () => readonly string[];
  /** The latest read of this server since that time, and whether no request has changed the server after it. */
  readonly readSince: (id: string, at: number) => Read | undefined;
  /** Called after each complete listing. Returns whether the listing counts, or came too soon after another. */
  readonly listed: (zone: string, listing: CompleteListing) => boolean;
  /**
   * Called when the provider answered as if the zone did not exist. Returns when to ask again, or undefined if the
   * zone exists and the error is an ordinary failure.
   */
  readonly refused: (zone: string, why: string) => number | undefined;
}

/** How long a listing may still show the state before a change. */
const listingLagMs = 30_000;

/**
 * A listing has no argument but its zone. Scaleway answers an unknown zone with 404, or with 400 "Unknown zone in
 * path".
 */
const refusalReasons: ReadonlySet<string> = new Set<ProviderReason>(['NotFound', 'InvalidArguments']);

export class Inventory implements Controller<Observed | Refused, Action> {
  readonly name = 'inventory';
  readonly plan = plan;
  readonly #ports: InventoryPorts;
  /** By zone: consecutive counted listings in which each host was missing. Lost in a restart, which only delays. */
  readonly #missed = new Map<string, ReadonlyMap<string, number>>();

  constructor(ports: InventoryPorts) {
    this.#ports = ports;
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

  async act(action: Action, { began }: Observed | Refused): Promise<ActionResult> {
    switch (action.kind) {
      case 'enter':
        return this.#enter(action);
      case 'see':
        return this.#see(action, began);
      case 'miss':
        return this.#miss([action.host]);
      case 'miss-all':
        return this.#miss(action.hosts);
    }
  }

  status(): Promise<void> {
    return Promise.resolve();
  }

  /** A read of the server itself is newer than the listing. */
  async #see({ host, seen }: Extract<Action, { kind: 'see' }>, began: number): Promise<ActionResult> {
    const read = this.#ports.readSince(host.metadata.name, began - listingLagMs);
    if (read !== undefined) return this.#lookCloser(host, isAtRest(read) ? read.server : undefined);
    try {
      await this.#write(host.metadata.name, seen, host.metadata.resourceVersion);
      return 'asked';
    } catch (error) {
      if (isFleetError(error, 'conflict')) return this.#lookCloser(host);
      throw error;
    }
  }

  /**
   * The object is read before the server: a concurrent write is newer and stays. The server is not read again if its
   * latest read is too new for the listing, was at rest, and is recorded in the object. The next listing shows any
   * later change. No result here triggers an early visit, which would list the whole zone.
   */
  async #lookCloser({ metadata }: MacHostObject, read?: Server): Promise<ActionResult> {
    const { client, provider, prices } = this.#ports;
    const { object: host } = await freshRead(client, macHosts, { name: metadata.name });
    const zone = host?.status?.observed?.zone;
    if (host === undefined || zone === undefined || this.#shows(host, read)) return 'unneeded';
    const server = await provider.getServer({ zone, id: metadata.name });
    if (this.#shows(host, server)) return 'unneeded';
    const seen = pricedOf(server, prices);
    try {
      await this.#write(metadata.name, seen, host.metadata.resourceVersion);
      return 'asked';
    } catch (error) {
      if (isFleetError(error, 'conflict')) return 'unneeded';
      throw error;
    }
  }

  #shows({ status }: MacHostObject, server: Server | undefined): boolean {
    return server !== undefined && !hasChanged(pricedOf(server, this.#ports.prices), status?.observed);
  }

  async #enter({ id, used, seen }: Extract<Action, { kind: 'enter' }>): Promise<ActionResult> {
    const { client } = this.#ports;
    await client.create(
      macHosts,
      {},
      {
        apiVersion: `${macHosts.group}/${macHosts.version}`,
        kind: macHosts.kind,
        metadata: { name: id },
        spec: { firstSeenName: seen.name, ...(used && { used }) },
      },
    );
    await this.#write(id, seen);
    return 'asked';
  }

  /** A host is marked as gone only after the provider confirmed it for each server. */
  async #miss(hosts: readonly MacHostObject[]): Promise<ActionResult> {
    for (const host of hosts) if (await this.#exists(host)) return 'asked';
    for (const { metadata } of hosts) await this.#write(metadata.name, { status: goneStatus });
    return 'asked';
  }

  async #exists({ metadata, status }: MacHostObject): Promise<boolean> {
    const { observed } = status ?? {};
    const zones = observed?.zone === undefined ? this.#ports.zones() : [observed.zone];
    for (const zone of zones) if (await this.#existsIn(zone, metadata.name)) return true;
    return false;
  }

  async #existsIn(zone: string, id: string): Promise<boolean> {
    try {
      await this.#ports.provider.getServer({ zone, id });
      return true;
    } catch (error) {
      if (isFleetError(error) && error.kind === 'gone') return false;
      throw error;
    }
  }

  async #write(name: string, observed: object, resourceVersion?: string): Promise<void> {
    const place = { name, subresource: 'status' };
    const metadata = resourceVersion === undefined ? {} : { metadata: { resourceVersion } };
    await this.#ports.client.patch(macHosts, place, { merge: { ...metadata, status: { observed } } });
  }

  #countMissed(zone: string, missing: readonly string[], counts: boolean): ReadonlyMap<string, number> {
    const before = this.#missed.get(zone);
    const missed = new Map(missing.map((id) => [id, (before?.get(id) ?? 0) + (counts ? 1 : 0)]));
    this.#missed.set(zone, missed);
    return missed;
  }
}

/** No request may have changed the server, and nothing was under way that ends by itself. */
function isAtRest({ server, isCurrent }: Read): boolean {
  return isCurrent && server.status === 'ready';
}
