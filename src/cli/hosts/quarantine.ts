/** `muster quarantine`: keeps a host aside; nothing is done to it until a person lets it go. */
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
    what: 'the manager keeps it aside',
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
  if (hold?.reason === reason) return { plan: [hostLine(host), `It is kept aside already: ${hold.reason}`] };
  if (hold !== undefined)
    throw new Error(
      `it is kept aside already since ${hold.since}: ${hold.reason}; let it go first: muster unquarantine`,
    );
  const owners = ownersIn(evidenceOf(host, fleet)).map(nameOf);
  if (owners.length > 0 && withOwner !== true)
    throw new Error(
      `machine ${owners.join(', ')} has this host; add --with-owner to keep it aside under its owner, or detach it first: muster detach ${owners[0] ?? ''}`,
    );
  return {
    plan: [
      hostLine(host),
      `Keep it aside: ${reason}`,
      ...owners.map(
        (owner) => `Its owner ${owner} keeps it and goes on working on it; the manager does nothing to it.`,
      ),
      ...(release === undefined
        ? []
        : [`The order to give it up (${release.policy}) waits until it is let go.`]),
    ],
    write: async () => {
      await cluster.change(hostResource, host, { spec: { hold: { reason, since: stampOf(cluster.now()) } } });
    },
  };
}
