/** `muster quarantine`: puts a host on hold. The manager does nothing to the host until an operator lifts the hold. */
import type { ProcessPorts } from '../process-ports.ts';
import { stampOf } from './ages.ts';
import type { Proposal } from './confirm-and-apply.ts';
import type { Cluster } from './cluster.ts';
import { evidenceOf, nameOf, ownersIn } from './evidence.ts';
import { hostResource, type FleetHost } from './fleet-objects.ts';
import type { Fleet } from './fleet-state.ts';
import { changeHost, hostLine } from './host-change.ts';
import type { ChangeOptions } from './options.ts';

export interface QuarantineOptions extends ChangeOptions {
  readonly reason: string;
  readonly withOwner?: true;
}

export function runQuarantine(host: string, options: QuarantineOptions, ports: ProcessPorts): Promise<void> {
  const change = {
    what: 'the manager keeps the host on hold',
    propose: (found: FleetHost, fleet: Fleet, cluster: Cluster) =>
      propose({ host: found, fleet, cluster }, options),
    isSeen: (found: FleetHost | undefined) => found?.status.state === 'Quarantined',
  };
  return changeHost(host, options, { ports, change });
}

interface StoryContext {
  readonly host: FleetHost;
  readonly fleet: Fleet;
  readonly cluster: Cluster;
}

function propose({ host, fleet, cluster }: StoryContext, { reason, withOwner }: QuarantineOptions): Proposal {
  const { hold, release } = host.spec;
  if (hold?.reason === reason)
    return { plan: [hostLine(host), `The host is on hold already: ${hold.reason}`] };
  if (hold !== undefined)
    throw new Error(
      `the host is on hold since ${hold.since}: ${hold.reason}; lift the hold first: muster unquarantine`,
    );
  const owners = ownersIn(evidenceOf(host, fleet)).map(nameOf);
  if (owners.length > 0 && withOwner !== true)
    throw new Error(
      `machine ${owners.join(', ')} has this host; add --with-owner to put the host on hold with its machine, or detach the machine first: muster detach ${owners[0] ?? ''}`,
    );
  return {
    plan: [
      hostLine(host),
      `Put the host on hold: ${reason}`,
      ...owners.map(
        (owner) =>
          `Its machine ${owner} keeps the host and keeps working on it; the manager does nothing to the host.`,
      ),
      ...(release === undefined ? [] : [`The order ${release.policy} waits until the hold is lifted.`]),
    ],
    write: async () => {
      await cluster.change(hostResource, host, { spec: { hold: { reason, since: stampOf(cluster.now()) } } });
    },
  };
}
