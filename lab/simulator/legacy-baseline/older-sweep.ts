/**
 * The older sweep: a server is an orphan if it has no machine's name and no machine names it. The sweep uses one
 * listing of the cloud and one of the machines, with no waiting time and no limit on reclaims.
 */
import { isClaimPendingName, isClaimStyleName, isPoolName } from '../../../src/api/names/host-names.ts';
import { isFleetError } from '../../../src/platform/errors/fleet-error.ts';
import { machines, type MachineObject } from '../../../src/hosts/state/objects.ts';
import type { Server } from '../../../src/hosts/provider/port.ts';
import type { KubeClient } from '../../../src/kube/client/client.ts';
import type { OlderPool } from './older-pool.ts';

export interface OlderSweepPorts {
  readonly client: KubeClient;
  readonly pool: OlderPool;
  readonly cached: () => readonly MachineObject[];
  readonly log: (text: string) => void;
  readonly zones: readonly string[];
  readonly poolPrefix: string;
  /** Empty: the sweep only reports. */
  readonly claimPrefix: string;
}

const pageSize = 500;

export class OlderSweep {
  readonly #ports: OlderSweepPorts;

  constructor(ports: OlderSweepPorts) {
    this.#ports = ports;
  }

  async run(): Promise<void> {
    const { cached, zones, claimPrefix, log } = this.#ports;
    const known = cached();
    const everyZone = new Set([...zones, ...known.flatMap(({ spec }) => spec?.zone ?? [])]);
    const stranded: Server[] = [];
    for (const zone of everyZone) stranded.push(...(await this.#strandedIn(zone, known)));
    if (stranded.length > 0) log(`sweep: ${stranded.length} stranded`);
    const ours = stranded.filter(({ name }) => isClaimStyleName(name, claimPrefix));
    if (ours.length > 0) await this.#reclaim(ours);
  }

  /** A zone that cannot be listed is skipped this time. */
  async #strandedIn(zone: string, known: readonly MachineObject[]): Promise<readonly Server[]> {
    const { pool, poolPrefix } = this.#ports;
    const isFree = (name: string): boolean => isPoolName(name, poolPrefix) || isClaimPendingName(name);
    const servers = await this.#attempt(() => pool.list(zone));
    return (servers ?? []).filter((server) => !isFree(server.name) && !isOwned(server, known));
  }

  async #reclaim(candidates: readonly Server[]): Promise<void> {
    const { pool, poolPrefix, log } = this.#ports;
    const known = await this.#attempt(() => this.#stored());
    if (known === undefined) return;
    for (const server of candidates.filter((one) => !isOwned(one, known))) {
      log(`sweep: takes ${server.name} back`);
      await this.#attempt(() => pool.release(server, poolPrefix));
    }
  }

  async #stored(): Promise<readonly MachineObject[]> {
    const all: MachineObject[] = [];
    let next: string | undefined;
    do {
      const query = { limit: pageSize, ...(next !== undefined && { continue: next }) };
      const page = await this.#ports.client.listPage(machines, query);
      all.push(...page.items);
      next = page.continue;
    } while (next !== undefined && next !== '');
    return all;
  }

  async #attempt<T>(work: () => Promise<T>): Promise<T | undefined> {
    try {
      return await work();
    } catch (error) {
      if (!isFleetError(error)) throw error;
      this.#ports.log(`sweep: ${error.reason}: ${error.message}`);
      return undefined;
    }
  }
}

function isOwned({ id, name }: Server, known: readonly MachineObject[]): boolean {
  return known.some(({ metadata, status }) => metadata.name === name || status?.serverID === id);
}
