/** `muster unquarantine`: lifts the hold on a host. The plan says what the manager will then do to the host. */
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
    what: 'the manager has lifted the hold',
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
  if (hold === undefined) return { plan: [hostLine(host), 'The host is not on hold.'] };
  refuseUnderCleared(host, fleet);
  const next = evaluatedHost({ ...host, spec: rest }, fleet);
  return {
    plan: [
      hostLine(host),
      `Lift the hold, set at ${hold.since}: ${hold.reason}`,
      `Then the host is ${next.state}: ${next.words.wanted}.`,
      isDeleting(host) ? `Warning: ${goingText}.` : thenText(next, keepersOf(host, fleet), options),
    ],
    write: () => cluster.change(hostResource, host, { spec: { hold: null } }),
  };
}

function refuseUnderCleared(host: FleetHost, fleet: Fleet): void {
  const cleared = clearedMachineOf(host, fleet);
  if (cleared === undefined) return;
  throw new Error(
    `machine ${machineName(cleared)} is paused and its status.serverID was cleared, so the manager would put the host on hold again at once; ${clearedText(cleared)}`,
  );
}

function thenText(
  { state, step, words }: EvaluatedHost,
  keepers: readonly string[],
  options: ChangeOptions,
): string {
  if (step !== 'none') return `The manager will then ${words.step}.`;
  if (keepers.length > 0) return `The manager will do nothing to the host: ${keepers.join('; ')}.`;
  const { claimPrefix = '', defaultAdoptPoolPrefix = '' } = options;
  return restText(state, claimPrefix !== '' && defaultAdoptPoolPrefix !== '');
}

/**
 * The settings of the manager decide whether an orphan is reclaimed or only reported. No object shows these settings.
 */
function restText(state: EvaluatedHost['state'], isNamed: boolean): string {
  if (state === 'Stranded')
    return isNamed
      ? 'The manager may then wipe the host and offer it again; see: muster sweep'
      : 'A manager with --orphan-reclaim-claim-name-prefix may then wipe the host and offer it again, if the name matches; any other manager only reports the host.';
  if (state === 'Pending')
    return 'A machine may take the host once it stays unchanged for ten minutes and two inventories.';
  if (state === 'Pooled') return 'A machine that needs such a host may then take it.';
  return isNamed
    ? 'The manager will do nothing to the host.'
    : 'The next step depends on the name prefixes: give --claim-prefix and --default-adopt-pool-prefix as for the manager.';
}
