/**
 * Keeps one MacHost for every server that the credentials can see. One listing of each zone in each period is all that
 * the rest of Muster knows of the provider between two acts; a listing that is not complete counts for nothing.
 */
import { goneStatus } from '../../fleet/host-situation.ts';
import { macHosts, type MacHostObject } from '../../fleet/objects.ts';
import { isFleetError } from '../../errors/fleet-error.ts';
import type { Provider } from '../../provider/port.ts';
import type { Controller } from '../../runtime/controller/controller.ts';
import type { ActionResult } from '../../runtime/controller/plan.ts';
import type { KubeClient } from '../../runtime/kube/client.ts';
import { plan, type Action, type Observed } from './plan.ts';

export interface InventoryPorts {
  readonly provider: Pick<Provider, 'listServers' | 'getServer'>;
  readonly client: KubeClient;
  readonly hosts: () => readonly MacHostObject[];
  readonly now: () => number;
  readonly intervalMs: number;
  readonly claimPrefix: string;
  readonly isSpokenFor: Observed['isSpokenFor'];
  /** Told of each complete listing. */
  readonly listed: (zone: string, at: number, ids: readonly string[]) => void;
}

export class Inventory implements Controller<Observed, Action> {
  readonly name = 'inventory';
  readonly plan = plan;
  readonly #ports: InventoryPorts;
  /** By zone: in how many complete listings in a row a host was missing. Lost in a restart, which only delays. */
  readonly #missed = new Map<string, ReadonlyMap<string, number>>();

  constructor(ports: InventoryPorts) {
    this.#ports = ports;
  }

  async observe(zone: string): Promise<Observed> {
    const { provider, hosts, now, intervalMs, claimPrefix, isSpokenFor, listed } = this.#ports;
    const began = now();
    const servers = await provider.listServers(zone);
    listed(
      zone,
      now(),
      servers.map(({ id }) => id),
    );
    const inZone = hosts().filter(({ status }) => status?.observed?.zone === zone);
    const known = new Map(inZone.map((host) => [host.metadata.name, host]));
    const others = hosts().filter(({ metadata }) => servers.some(({ id }) => id === metadata.name));
    for (const host of others) known.set(host.metadata.name, host);
    const missed = this.#countMissed(zone, known, new Set(servers.map(({ id }) => id)));
    return { zone, servers, known, missed, claimPrefix, isSpokenFor, nextAt: began + intervalMs };
  }

  async act(action: Action): Promise<ActionResult> {
    switch (action.kind) {
      case 'enter':
        return this.#enter(action);
      case 'see':
        await this.#write(action.host.metadata.name, action.seen);
        return 'asked';
      case 'miss':
        return this.#miss([action.host]);
      case 'miss-all':
        return this.#miss(action.hosts);
    }
  }

  status(): Promise<void> {
    return Promise.resolve();
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
        spec: used ? { used } : {},
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
    try {
      await this.#ports.provider.getServer({ zone: status?.observed?.zone ?? '', id: metadata.name });
      return true;
    } catch (error) {
      if (isFleetError(error) && error.kind === 'gone') return false;
      throw error;
    }
  }

  async #write(name: string, observed: object): Promise<void> {
    const place = { name, subresource: 'status' };
    await this.#ports.client.patch(macHosts, place, { merge: { status: { observed } } });
  }

  #countMissed(
    zone: string,
    known: ReadonlyMap<string, MacHostObject>,
    seen: ReadonlySet<string>,
  ): ReadonlyMap<string, number> {
    const before = this.#missed.get(zone);
    const missed = new Map(
      [...known.keys()].filter((id) => !seen.has(id)).map((id) => [id, (before?.get(id) ?? 0) + 1]),
    );
    this.#missed.set(zone, missed);
    return missed;
  }
}
