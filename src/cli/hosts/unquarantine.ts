/** `muster unquarantine`: lets a host go that a person kept aside, and says first what will then be done to it. */
import type { ProcessPorts } from '../process-ports.ts';
import type { Proposal } from './confirm-and-apply.ts';
import type { Cluster } from './cluster.ts';
import { keepersOf } from './evidence.ts';
import { hostResource, isDeleting, machineName, type FleetHost } from './fleet-objects.ts';
import type { Fleet } from './fleet-state.ts';
import { changeHost, hostLine } from './host-change.ts';
import { clearedMachineOf, clearedText } from './hold-lift.ts';
import { evaluatedHost, type EvaluatedHost } from './host-evaluation.ts';
import type { ChangeOptions } from './options.ts';
import { goingText } from './phrases.ts';

export function runUnquarantine(host: string, options: ChangeOptions, ports: ProcessPorts): Promise<void> {
  const change = {
    what: 'the manager has let it go',
    propose: (found: FleetHost, fleet: Fleet, cluster: Cluster) =>
      propose(found, { fleet, cluster, options }),
    isSeen: (found: FleetHost | undefined) =>
      found === undefined || (found.spec.hold === undefined && found.status.state !== 'Quarantined'),
  };
  return changeHost(host, options, { ports, change });
}

interface StoryContext {
  readonly fleet: Fleet;
  readonly cluster: Cluster;
  readonly options: ChangeOptions;
}

function propose(host: FleetHost, { fleet, cluster, options }: StoryContext): Proposal {
  const { hold, ...rest } = host.spec;
  if (hold === undefined) return { plan: [hostLine(host), 'Nobody keeps it aside.'] };
  refuseUnderCleared(host, fleet);
  const next = evaluatedHost({ ...host, spec: rest }, fleet);
  return {
    plan: [
      hostLine(host),
      `Let it go; it was kept aside since ${hold.since}: ${hold.reason}`,
      `Then it is ${next.state}: ${next.words.wanted}.`,
      isDeleting(host) ? `But ${goingText}.` : thenText(next, keepersOf(host, fleet), options),
    ],
    write: () => cluster.change(hostResource, host, { spec: { hold: null } }),
  };
}

function refuseUnderCleared(host: FleetHost, fleet: Fleet): void {
  const cleared = clearedMachineOf(host, fleet);
  if (cleared === undefined) return;
  throw new Error(
    `machine ${machineName(cleared)} is paused and its status.serverID was cleared, so the manager would keep the host aside again at once; ${clearedText(cleared)}`,
  );
}

function thenText(
  { state, step, words }: EvaluatedHost,
  keepers: readonly string[],
  options: ChangeOptions,
): string {
  if (step !== 'none') return `The manager will then ${words.step}.`;
  if (keepers.length > 0) return `Nothing will be done to it: ${keepers.join('; ')}.`;
  const { claimPrefix = '', defaultAdoptPoolPrefix = '' } = options;
  return restText(state, claimPrefix !== '' && defaultAdoptPoolPrefix !== '');
}

/** A host that nobody answers for is swept, or only reported, as the manager was told; that stands in no object. */
function restText(state: EvaluatedHost['state'], isNamed: boolean): string {
  if (state === 'Stranded')
    return isNamed
      ? 'The sweep of the manager may then have it wiped and offered again; see: muster sweep'
      : 'A manager with --orphan-reclaim-claim-name-prefix may then have it wiped and offered again, if its name is one of those; any other only reports it.';
  if (state === 'Pending')
    return 'A machine may take it once two inventories and ten minutes have shown it unchanged.';
  if (state === 'Pooled') return 'A machine that wants such a host may then take it.';
  return isNamed
    ? 'Nothing will be done to it.'
    : 'What is then done to it depends on how the manager names hosts: give --claim-prefix and --default-adopt-pool-prefix as it has them.';
}
