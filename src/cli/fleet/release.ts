/** `muster release` and `muster terminate`: orders a host to be given up that no living machine has. */
import type { HostState } from '../../api/mac-host.ts';
import type { ProcessPorts } from '../process-ports.ts';
import type { Proposal } from './carry-out.ts';
import type { Cluster } from './cluster.ts';
import type { FleetHost } from './fleet-objects.ts';
import type { Fleet } from './fleet-state.ts';
import { changeHost } from './host-change.ts';
import { proposeRelease, type ReleaseOptions } from './release-order.ts';

const takenUp: Readonly<Record<'pool' | 'terminate', readonly HostState[]>> = {
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

function run(policy: 'pool' | 'terminate', typed: string, { options, ports }: Given): Promise<void> {
  const change = {
    what: policy === 'pool' ? 'the manager gives it back to the pool' : 'the manager ends its rent',
    propose: (host: FleetHost, fleet: Fleet, cluster: Cluster): Proposal =>
      proposeRelease({ host, fleet, cluster }, { policy, options, warn: ports.terminal.err }),
    /** An order that is carried out is not there any more. */
    isSeen: (host: FleetHost | undefined) =>
      host?.spec.release === undefined ||
      (host.status.state !== undefined && takenUp[policy].includes(host.status.state)),
    // It cannot be undone, so that a yes out of habit is not enough.
    ...(policy === 'terminate' && { word: ({ id, status }: FleetHost) => status.observed?.name ?? id }),
  };
  return changeHost(typed, options, { ports, change });
}
