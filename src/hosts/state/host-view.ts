/** Builds the fleet view from complete lists of hosts and machines, indexed by name, uid and host. */
import { serverNameOf, type HostRecord } from './host-record.ts';
import type { FleetView } from './host-state.ts';
import type { MachineObject } from './objects.ts';
import { hostIdsIn, ownershipOf } from './ownership.ts';

export interface KnownObjects {
  readonly hosts: readonly HostRecord[];
  readonly machines: readonly MachineObject[];
}

export type NameRules = Pick<FleetView, 'poolPrefixes' | 'claimPrefix'>;

export function fleetViewOf({ hosts, machines }: KnownObjects, rules: NameRules): FleetView {
  const byUid = new Map(machines.map((machine) => [machine.metadata.uid, machine]));
  const byName = Map.groupBy(machines, ({ metadata }) => metadata.name);
  const byHost = groupByHost(machines);
  const servers = Map.groupBy(hosts, serverNameOf);
  return {
    ...rules,
    ownershipOf: (host) =>
      ownershipOf(host, [
        ...new Set([
          ...(byHost.get(host.id) ?? []),
          ...(byName.get(serverNameOf(host)) ?? []),
          ...[byUid.get(host.spec.claim?.uid ?? '')].filter((machine) => machine !== undefined),
        ]),
      ]),
    serversCalled: (name) => (name === '' ? [] : (servers.get(name) ?? []).map(({ id }) => id)),
  };
}

function groupByHost(machines: readonly MachineObject[]): ReadonlyMap<string, readonly MachineObject[]> {
  const pairs = machines.flatMap((machine) => hostIdsIn(machine).map((id) => ({ id, machine })));
  return new Map(
    [...Map.groupBy(pairs, ({ id }) => id)].map(([id, some]) => [id, some.map(({ machine }) => machine)]),
  );
}
