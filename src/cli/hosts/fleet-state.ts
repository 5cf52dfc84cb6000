/** All hosts and machines from one fresh read, with the view that the host rules decide on. */
import { usualPoolPrefix } from '../../api/names/host-names.ts';
import { pendingRestMs, type HostRequirements } from '../../hosts/state/candidates.ts';
import { fleetViewOf } from '../../hosts/state/host-view.ts';
import type { FleetView } from '../../hosts/state/host-state.ts';
import { prefixFault, soundPrefix } from '../../hosts/state/pool-prefix.ts';
import { poolPrefixOf } from '../../hosts/state/release-policy.ts';
import type { Cluster } from './cluster.ts';
import type { FleetHost, FleetMachine } from './fleet-objects.ts';

/** Settings of the manager that the operator repeats on the command line. */
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

/** Hosts first: a machine that appears between the reads can only protect a host. */
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

/** The host of a machine: the host with its claim, else the host that its status names. */
export function hostOfMachine({ hosts }: Fleet, { metadata, status }: FleetMachine): FleetHost | undefined {
  return (
    hosts.find(({ spec }) => spec.claim?.uid === metadata.uid) ??
    hosts.find(({ id }) => id === status.serverID)
  );
}

/** The error in a machine's own pool prefix, if there is one. */
export function prefixFaultOf(
  { spec }: FleetMachine,
  { defaultPoolPrefix, view }: Fleet,
): string | undefined {
  const own = spec.adoptPoolPrefix ?? '';
  return own === '' || own === defaultPoolPrefix ? undefined : prefixFault(own, view);
}

/** Undefined when neither the machine nor the manager has a pool prefix, or when the machine's prefix is invalid. */
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

/** The manager also counts inventories, which a command cannot see. */
export function pendingAtRest({ hosts, now }: Fleet): ReadonlySet<string> {
  const isAtRest = ({ status: { observed, pendingName, pendingSince } }: FleetHost): boolean =>
    pendingSince !== undefined &&
    pendingName === observed?.name &&
    now - Date.parse(pendingSince) >= pendingRestMs;
  return new Set(hosts.filter(isAtRest).map(({ id }) => id));
}
