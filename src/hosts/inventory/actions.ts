/**
 * Writes what a listing shows into the MacHosts. A server that was read after the listing, or a MacHost that another
 * controller wrote, is read again. A host is marked as gone only after the provider confirmed it.
 */
import { goneStatus } from '../state/host-record.ts';
import { hasChanged, pricedOf } from '../state/observed-server.ts';
import { macHosts, type MacHostObject } from '../state/objects.ts';
import { isFleetError } from '../../platform/errors/fleet-error.ts';
import type { Server } from '../provider/port.ts';
import { freshRead } from '../../kube/reconciler/fresh-read.ts';
import type { ActionResult } from '../../kube/reconciler/plan.ts';
import type { Action } from './plan.ts';
import type { InventoryPorts, Read } from './ports.ts';

/** How long a listing may still show the state before a change. */
const listingLagMs = 30_000;

type Ports = Pick<InventoryPorts, 'client' | 'provider' | 'prices' | 'readSince' | 'zones'>;

export class InventoryActions {
  readonly #ports: Ports;

  constructor(ports: Ports) {
    this.#ports = ports;
  }

  /** `began`: when the listing was requested. */
  take(action: Action, began: number): Promise<ActionResult> {
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

  /** A read of the server itself is newer than the listing. */
  async #see({ host, seen }: Extract<Action, { kind: 'see' }>, began: number): Promise<ActionResult> {
    const read = this.#ports.readSince(host.metadata.name, began - listingLagMs);
    if (read !== undefined) return this.#lookCloser(host, isAtRest(read) ? read.server : undefined);
    try {
      await this.#write(host.metadata.name, seen, host.metadata.resourceVersion);
      return 'requested';
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
    if (host === undefined || zone === undefined || this.#shows(host, read)) return 'no-op';
    const server = await provider.getServer({ zone, id: metadata.name });
    if (this.#shows(host, server)) return 'no-op';
    const seen = pricedOf(server, prices);
    try {
      await this.#write(metadata.name, seen, host.metadata.resourceVersion);
      return 'requested';
    } catch (error) {
      if (isFleetError(error, 'conflict')) return 'no-op';
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
    return 'requested';
  }

  /** A host is marked as gone only after the provider confirmed it for each server. */
  async #miss(hosts: readonly MacHostObject[]): Promise<ActionResult> {
    for (const host of hosts) if (await this.#exists(host)) return 'requested';
    for (const { metadata } of hosts) await this.#write(metadata.name, { status: goneStatus });
    return 'requested';
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
}

/** No request may have changed the server, and nothing was under way that ends by itself. */
function isAtRest({ server, isCurrent }: Read): boolean {
  return isCurrent && server.status === 'ready';
}
