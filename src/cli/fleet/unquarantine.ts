/** `muster unquarantine`: lets a host go that a person kept aside, and says first what will then be done to it. */
import type { ProcessPorts } from '../process-ports.ts';
import type { Proposal } from './carry-out.ts';
import type { Cluster } from './cluster.ts';
import { hostResource, type FleetHost } from './fleet-objects.ts';
import type { Fleet } from './fleet-state.ts';
import { changeHost, hostLine } from './host-change.ts';
import { judgedHost } from './judged-host.ts';
import type { ChangeOptions } from './options.ts';

export function runUnquarantine(host: string, options: ChangeOptions, ports: ProcessPorts): Promise<void> {
  const change = {
    what: 'the manager has let it go',
    propose,
    isSeen: (found: FleetHost | undefined) =>
      found === undefined || (found.spec.hold === undefined && found.status.state !== 'Quarantined'),
  };
  return changeHost(host, options, { ports, change });
}

function propose(host: FleetHost, fleet: Fleet, cluster: Cluster): Proposal {
  const { hold, ...rest } = host.spec;
  if (hold === undefined) return { plan: [hostLine(host), 'Nobody keeps it aside.'] };
  const next = judgedHost({ ...host, spec: rest }, fleet);
  return {
    plan: [
      hostLine(host),
      `Let it go; it was kept aside since ${hold.since}: ${hold.reason}`,
      `Then it is ${next.state}: ${next.words.wanted}.`,
      next.step === 'none' ? 'Nothing will be done to it.' : `The manager will then ${next.words.step}.`,
    ],
    write: () => cluster.change(hostResource, host, { spec: { hold: null } }),
  };
}
