/** All hosts and machines from one fresh read, with the view of them that the rules of hosts decide by. */
import { usualPoolPrefix } from '../../api/names/host-names.ts';
import { pendingRestMs, type HostRequirements } from '../../hosts/state/candidates.ts';
import { fleetViewOf } from '../../hosts/state/host-view.ts';
import type { FleetView } from '../../hosts/state/host-state.ts';
import { prefixFault, soundPrefix } from '../../hosts/state/pool-prefix.ts';
import { poolPrefixOf } from '../../hosts/state/release-policy.ts';
import type { Cluster } from './cluster.ts';
import type { FleetHost, FleetMachine } from './fleet-objects.ts';

/** What the manager was told, as far as the person at the terminal knows it. */
export interface Names {
  readonly defaultAdoptPoolPrefix?: string;
  readonly claimPrefix?: string;
}

export interface Fleet {
  readonly hosts: readonly FleetHost[];
  readonly machines: readonly FleetMachine[];
  readonly view: FleetView;
  readonly defaultPoolPrefix: string;
  readonly now: number;
}

/** Hosts first: a machine that is made in between can only spare a host, never doom one. */
export async function readFleet(cluster: Cluster, names: Names): Promise<Fleet> {
  const hosts = await cluster.hosts();
  const machines = await cluster.machines();
  const defaultPoolPrefix = names.defaultAdoptPoolPrefix ?? usualPoolPrefix;
  const claimPrefix = names.claimPrefix ?? '';
  const own = machines.map(({ spec }) => soundPrefix(spec.adoptPoolPrefix, { claimPrefix }) ?? '');
  const poolPrefixes = [...new Set([defaultPoolPrefix, ...own])].filter((prefix) => prefix !== '');
  const view = fleetViewOf({ hosts, machines }, { poolPrefixes, claimPrefix });
  return { hosts, machines, view, defaultPoolPrefix, now: cluster.now() };
}

/** The host of a machine: the one with its claim, else the one its status names. */
export function hostOfMachine({ hosts }: Fleet, { metadata, status }: FleetMachine): FleetHost | undefined {
  return (
    hosts.find(({ spec }) => spec.claim?.uid === metadata.uid) ??
    hosts.find(({ id }) => id === status.serverID)
  );
}

/** What is wrong with the pool prefix of a machine, if it has one of its own. */
export function prefixFaultOf(
  { spec }: FleetMachine,
  { defaultPoolPrefix, view }: Fleet,
): string | undefined {
  const own = spec.adoptPoolPrefix ?? '';
  return own === '' || own === defaultPoolPrefix ? undefined : prefixFault(own, view);
}

/** Undefined when neither the machine nor the manager has a pool prefix, or when that of the machine is refused. */
export function requirementsOf(machine: FleetMachine, fleet: Fleet): HostRequirements | undefined {
  const { spec } = machine;
  const poolPrefix = poolPrefixOf(spec.adoptPoolPrefix, fleet.defaultPoolPrefix);
  return poolPrefix === undefined || prefixFaultOf(machine, fleet) !== undefined
    ? undefined
    : {
        zone: spec.zone,
        type: spec.type,
        os: spec.os,
        poolPrefix,
        defaultPoolPrefix: fleet.defaultPoolPrefix,
        ripePending: pendingAtRest(fleet),
      };
}

/** The manager also counts inventories, which cannot be seen from here. */
export function pendingAtRest({ hosts, now }: Fleet): ReadonlySet<string> {
  const isAtRest = ({ status: { observed, pendingName, pendingSince } }: FleetHost): boolean =>
    pendingSince !== undefined &&
    pendingName === observed?.name &&
    now - Date.parse(pendingSince) >= pendingRestMs;
  return new Set(hosts.filter(isAtRest).map(({ id }) => id));
}
