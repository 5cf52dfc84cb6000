/**
 * Hosts whose pending name was left by an adoption that was cut off: ten minutes and two complete inventories have
 * shown no change. Inventories are counted in memory, so a restart only delays.
 */
import { isClaimPendingName } from '../api/names/host-names.ts';
import { pendingRestMs } from '../hosts/state/candidates.ts';
import type { MacHostObject } from '../hosts/state/objects.ts';

const inventoriesNeeded = 2;

export interface PendingHostsPorts {
  readonly hosts: () => readonly MacHostObject[];
  /** Number of complete inventories of the zone so far. */
  readonly inventories: (zone: string) => number;
  readonly now: () => number;
}

export class PendingHosts {
  readonly #ports: PendingHostsPorts;
  /** The inventory that first showed this host with this name, by id and name. */
  #first: ReadonlyMap<string, number> = new Map();

  constructor(ports: PendingHostsPorts) {
    this.#ports = ports;
  }

  /** Called after each inventory. */
  count(): void {
    const { hosts, inventories } = this.#ports;
    const pending = hosts().filter(isPending);
    this.#first = new Map(
      pending.map((host) => [
        keyOf(host),
        this.#first.get(keyOf(host)) ?? inventories(host.status?.observed?.zone ?? ''),
      ]),
    );
  }

  atRest(): ReadonlySet<string> {
    const { hosts, inventories, now } = this.#ports;
    const isAtRest = (host: MacHostObject): boolean => {
      const { observed, pendingName, pendingSince } = host.status ?? {};
      if (pendingSince === undefined || pendingName !== observed?.name) return false;
      const first = this.#first.get(keyOf(host));
      const seen = first === undefined ? 0 : inventories(observed?.zone ?? '') - first;
      return seen >= inventoriesNeeded && now() - Date.parse(pendingSince) >= pendingRestMs;
    };
    const pending = hosts().filter((host) => isPending(host) && isAtRest(host));
    return new Set(pending.map(({ metadata }) => metadata.name));
  }
}

function isPending({ status }: MacHostObject): boolean {
  return isClaimPendingName(status?.observed?.name ?? '');
}

function keyOf({ metadata, status }: MacHostObject): string {
  return `${metadata.name} ${status?.observed?.name ?? ''}`;
}
