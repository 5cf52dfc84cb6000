/**
 * Keeps one MacHost for every server that the credentials can see. One listing of each zone in each period is all that
 * the rest of Muster knows of the provider between two acts; a listing that is not complete counts for nothing.
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
  /** When it was asked for. */
  readonly began: number;
  /** When it was there. */
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
  /** Whether anybody still wants to know of that zone. */
  readonly isKept: (zone: string) => boolean;
  /** All zones that are listed. */
  readonly zones: () => readonly string[];
  /** The server as it was read by itself, if that was since then, and whether nothing was asked of it after that. */
  readonly readSince: (id: string, at: number) => Read | undefined;
  /** Told of each complete listing; whether it counts, or came too soon after another. */
  readonly listed: (zone: string, listing: CompleteListing) => boolean;
  /**
   * Told of each listing that was refused as if there were no such zone. When to ask again; undefined where the zone
   * exists, so that the refusal is a failure like any other.
   */
  readonly refused: (zone: string, why: string) => number | undefined;
}

/** For so long a listing may still show what was before a change. */
const listingLagMs = 30_000;

/** A listing has no argument but its zone. Scaleway answers 404, or 400 with "Unknown zone in path". */
const refusalReasons: ReadonlySet<string> = new Set<ProviderReason>(['NotFound', 'InvalidArguments']);

export class Inventory implements Controller<Observed | Refused, Action> {
  readonly name = 'inventory';
  readonly plan = plan;
  readonly #ports: InventoryPorts;
  /** By zone: in how many complete listings that count, in a row, a host was missing. Lost in a restart, which only delays. */
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
    // A MacHost that was restored from a backup says nothing of its zone: each zone may have its server.
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

  /** Somebody who read the server itself knows better than a listing, which may be older than that. */
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
   * The object before the server: what is written meanwhile is newer, and stays. Where the server was read so lately that the
   * listing may lag behind, was at rest, and the object shows what was read, it is not asked once more: what somebody else
   * has changed meanwhile the next listing shows. Nothing here is worth an early visit, which would list the whole zone.
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

  /** Only the provider's own word about each very server makes them gone. */
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

/** Nothing was asked of it that may have changed it, and nothing was under way that ends by itself. */
function isAtRest({ server, isCurrent }: Read): boolean {
  return isCurrent && server.status === 'ready';
}
