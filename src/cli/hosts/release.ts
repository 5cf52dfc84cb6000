/**
 * `muster release` and `muster terminate`: order the release or the end of the rent of a host without a live machine.
 */
import type { HostState } from '../../api/kinds/mac-host.ts';
import type { ProcessPorts } from '../process-ports.ts';
import type { Proposal } from './confirm-and-apply.ts';
import type { Cluster } from './cluster.ts';
import { shortId } from './find-object.ts';
import type { FleetHost } from './fleet-objects.ts';
import type { Fleet } from './fleet-state.ts';
import { changeHost } from './host-change.ts';
import { proposeRelease, type ReleaseOptions } from './release-order.ts';

type Policy = 'pool' | 'terminate';

const takenUp: Readonly<Record<Policy, readonly HostState[]>> = {
  pool: ['Releasing', 'Reinstalling'],
  terminate: ['Terminating'],
};

export function runRelease(host: string, options: ReleaseOptions, ports: ProcessPorts): Promise<void> {
  return run('pool', host, { options, ports });
}

export function runTerminate(host: string, options: ReleaseOptions, ports: ProcessPorts): Promise<void> {
  return run('terminate', host, { options, ports });
}

interface Given {
  readonly options: ReleaseOptions;
  readonly ports: ProcessPorts;
}

function run(policy: Policy, typed: string, { options, ports }: Given): Promise<void> {
  const change = {
    what: policy === 'pool' ? 'the manager returns the host to the pool' : 'the manager ends its rent',
    propose: (host: FleetHost, fleet: Fleet, cluster: Cluster): Proposal =>
      proposeRelease({ host, fleet, cluster }, { policy, options, warn: ports.terminal.err }),
    isSeen: (host: FleetHost | undefined, first: FleetHost) => isCarriedOut(policy, host, first),
    // Terminating cannot be undone, so the operator must type the server name.
    ...(policy === 'terminate' && { word: ({ id, status }: FleetHost) => status.observed?.name ?? id }),
  };
  return changeHost(typed, options, { ports, change });
}

/** A completed order is removed from the host. The manager can also drop an order, and a machine can overwrite it. */
function isCarriedOut(policy: Policy, host: FleetHost | undefined, first: FleetHost): boolean {
  if (host === undefined) return true;
  const { state, installEpoch = 0 } = host.status;
  if (state !== undefined && takenUp[policy].includes(state)) return true;
  refuseWrittenOver(policy, host);
  if (host.spec.release !== undefined) return false;
  if (installEpoch > (first.status.installEpoch ?? 0)) return true;
  throw new Error(
    `the manager dropped the order: a machine speaks for the host, or a person renamed its server. See: muster why host/${shortId(host.id)}`,
  );
}

/** A machine that was being deleted when the order came overwrites the operator's order with its own. */
function refuseWrittenOver(policy: Policy, { spec: { release } }: FleetHost): void {
  if (release?.machineUid !== undefined && release.policy !== policy)
    throw new Error(`its deleted machine wrote its own order, which counts: ${release.policy}`);
}
