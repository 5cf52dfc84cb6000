/** Whether a machine may claim a host, by the stored objects. */
import { refusalOf, type HostRequirements } from '../state/candidates.ts';
import { hostOf, machines, recordOf, type MacHostObject, type MachineObject } from '../state/objects.ts';
import { freshList } from '../../kube/reconciler/fresh-read.ts';
import type { MachinePorts } from './ports.ts';
import { isMeant } from './meant-host.ts';
import { isOwnServer } from './own-name.ts';
import { isLeftToIt } from './binding/restore-binding.ts';
import { serverNameMatches, requirementsOf } from './adoption/host-requirements.ts';

type Ports = Pick<
  MachinePorts,
  'client' | 'meaning' | 'pendingAtRest' | 'defaultPoolPrefix' | 'claimPrefix' | 'allowedPoolPrefixes'
>;

/**
 * A machine bound to this host may take it back if no other machine holds it. Any other machine takes only a free
 * host.
 */
export async function isClaimable(
  ports: Ports,
  host: MacHostObject,
  machine: MachineObject,
): Promise<boolean> {
  const { client } = ports;
  if (machine.status?.serverID === host.metadata.name)
    return serverNameMatches(host, machine, ports) === true && isLeftToIt(client, host, machine);
  if (host.status?.observed?.name === machine.metadata.name)
    return isOwnServer(host, machine, await freshList(client, machines));
  const requirements = wishFor(ports, machine);
  if (requirements !== undefined && refusalOf(recordOf(host), requirements) === undefined) return true;
  return isMeant(host, machine, { machines: await freshList(client, machines), requirements });
}

/** The machine lost its claim on the host that it names, and may claim that host again, by the caches. */
export function isMeantBy(ports: Ports, host: MacHostObject | undefined, machine: MachineObject): boolean {
  const known = { machines: ports.meaning(hostOf(machine) ?? ''), requirements: wishFor(ports, machine) };
  return host !== undefined && isMeant(host, machine, known);
}

function wishFor(ports: Ports, machine: MachineObject): HostRequirements | undefined {
  return requirementsOf(machine, { ...ports, ripePending: ports.pendingAtRest() });
}
