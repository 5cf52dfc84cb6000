/** `muster plan`: what the rules would do about every host and machine now, and why not more. It changes nothing. */
import { candidatesFor, countRefusals } from '../../fleet/candidates.ts';
import { soundPrefix } from '../../fleet/pool-prefix.ts';
import { releaseOf } from '../../fleet/release-policy.ts';
import type { ProcessPorts } from '../process-ports.ts';
import { onCluster } from './connect.ts';
import { shortId } from './find-object.ts';
import { isDeleting, isPaused, machineName, type FleetHost, type FleetMachine } from './fleet-objects.ts';
import { hostOfMachine, prefixFaultOf, readFleet, wishOf, type Fleet } from './fleet-state.ts';
import { judgedHost } from './judged-host.ts';
import type { ReadOptions } from './options.ts';
import { printable, wrapped } from './table.ts';
import { refusalLines } from './words.ts';

interface Row {
  readonly object: string;
  readonly does: string;
  readonly why: string;
  readonly isActive: boolean;
}

export function runPlan(options: ReadOptions, ports: ProcessPorts): Promise<void> {
  return onCluster(options, ports, async (cluster) => {
    const fleet = await readFleet(cluster, options);
    const rows = planOf(fleet);
    const active = rows.filter(({ isActive }) => isActive);
    const { terminal } = ports;
    if (options.json === true) return terminal.out(`${JSON.stringify({ plan: rows }, null, 2)}\n`);
    for (const { object, does, why } of [...active, ...rows.filter(({ isActive }) => !isActive)])
      terminal.out(`${printable(`${object}: ${does}`)}\n    ${wrapped(why, 4)}\n`);
    terminal.out(
      `${active.length} of ${rows.length} objects would be acted on now; nothing was changed by this command\n`,
    );
  });
}

export function planOf(fleet: Fleet): readonly Row[] {
  const hosts = fleet.hosts
    .toSorted((one, other) => (one.id < other.id ? -1 : 1))
    .map((host) => hostRow(host, fleet));
  return [...hosts, ...machineRows(fleet)];
}

function hostRow(host: FleetHost, fleet: Fleet): Row {
  const { state, reason, step, words } = judgedHost(host, fleet);
  const server = host.status.observed?.name;
  return {
    object: `host/${shortId(host.id)}${server === undefined ? '' : ` (${server})`}`,
    does: words.step,
    why: `${state}${reason === state ? '' : `, ${reason}`}: ${words.wanted}; ${words.seen}. ${words.reason}`,
    isActive: step !== 'none',
  };
}

/** Each host is given away once: two machines that wait for one are not both told that they get it. */
function machineRows(fleet: Fleet): readonly Row[] {
  const taken = new Set<string>();
  return fleet.machines
    .toSorted((one, other) => (sortKey(one) < sortKey(other) ? -1 : 1))
    .map((machine) => {
      const { does, why, takes } = machineStep(machine, fleet, taken);
      if (takes !== undefined) taken.add(takes);
      return { object: `machine/${machineName(machine)}`, does, why, isActive: does !== 'nothing' };
    });
}

function sortKey(machine: FleetMachine): string {
  return `${machine.metadata.creationTimestamp ?? ''}\n${machineName(machine)}`;
}

interface MachineStep {
  readonly does: string;
  readonly why: string;
  readonly takes?: string;
}

function machineStep(machine: FleetMachine, fleet: Fleet, taken: ReadonlySet<string>): MachineStep {
  const host = hostOfMachine(fleet, machine);
  if (isDeleting(machine)) return deletionStep(machine, host, fleet);
  if (isPaused(machine)) return { does: 'nothing', why: 'Paused: a person asked for it to be left alone' };
  if (host !== undefined)
    return { does: 'nothing', why: `it has host ${shortId(host.id)}; setting it up is not planned here` };
  if ((machine.status.serverID ?? '') !== '')
    return { does: 'nothing', why: `there is no MacHost ${machine.status.serverID}, which its status names` };
  return adoptionStep(machine, fleet, taken);
}

function deletionStep(machine: FleetMachine, host: FleetHost | undefined, fleet: Fleet): MachineStep {
  if (host === undefined) return { does: 'let it go', why: 'it is being deleted and has no host' };
  if (host.spec.release !== undefined)
    return { does: 'let it go', why: `host ${shortId(host.id)} carries the order to release it already` };
  const release = releaseOf({
    annotations: machine.metadata.annotations ?? {},
    poolPrefix: soundPrefix(machine.spec.adoptPoolPrefix, fleet.view),
    defaultPoolPrefix: fleet.defaultPoolPrefix,
  });
  const id = shortId(host.id);
  switch (release.kind) {
    case 'terminate':
      return { does: `order the end of the rent of host ${id}`, why: 'its release policy is terminate' };
    case 'pool':
      return { does: `order host ${id} back to ${release.poolPrefix}`, why: 'it is being deleted' };
    case 'skip':
      return {
        does: `leave host ${id} as it is`,
        why: 'ReleaseSkipped: there is no pool to give it back to',
      };
  }
}

function adoptionStep(machine: FleetMachine, fleet: Fleet, taken: ReadonlySet<string>): MachineStep {
  const fault = prefixFaultOf(machine, fleet);
  if (fault !== undefined) return { does: 'nothing', why: `PoolPrefixRefused: ${fault}` };
  const wish = wishOf(machine, fleet);
  if (wish === undefined)
    return { does: 'nothing', why: 'NoAdoptPoolPrefix: no host can be told to be free' };
  const free = candidatesFor(fleet.hosts, wish);
  const first = free.find(({ id }) => !taken.has(id));
  const wanted = `${wish.type} with ${wish.os} in ${wish.zone}`;
  if (first !== undefined)
    return { does: `take host ${shortId(first.id)}`, why: `it wants ${wanted}`, takes: first.id };
  const others = free.length === 0 ? [] : [`${free.length} taken by machines that have waited longer`];
  const refused = [...others, ...refusalLines(countRefusals(fleet.hosts, wish))];
  const why = refused.length === 0 ? 'no host is in that zone' : refused.join('; ');
  return { does: 'nothing', why: `NoAvailableHost: it wants ${wanted}: ${why}` };
}
