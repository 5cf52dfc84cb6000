/** Whether a machine may claim a host, from what is stored now. */
import { refusalOf, type MachineWish } from '../../fleet/candidates.ts';
import { hostOf, machines, recordOf, type MacHostObject, type MachineObject } from '../../fleet/objects.ts';
import { freshList } from '../../runtime/controller/fresh-read.ts';
import type { MachinePorts } from './machine-ports.ts';
import { isMeant } from './meant-host.ts';
import { isOwnServer } from './own-name.ts';
import { isLeftToIt } from './recall.ts';
import { isCalledForIt, wishOf } from './wish.ts';

type Ports = Pick<
  MachinePorts,
  'client' | 'meaning' | 'pendingAtRest' | 'defaultPoolPrefix' | 'claimPrefix' | 'allowedPoolPrefixes'
>;

/** One that was served by this host before may take it back from nobody; any other only takes a free one. */
export async function isClaimable(
  ports: Ports,
  host: MacHostObject,
  machine: MachineObject,
): Promise<boolean> {
  const { client } = ports;
  if (machine.status?.serverID === host.metadata.name)
    return isCalledForIt(host, machine, ports) === true && isLeftToIt(client, host, machine);
  if (host.status?.observed?.name === machine.metadata.name)
    return isOwnServer(host, machine, await freshList(client, machines));
  const wish = wishFor(ports, machine);
  if (wish !== undefined && refusalOf(recordOf(host), wish) === undefined) return true;
  return isMeant(host, machine, { machines: await freshList(client, machines), wish });
}

/** The machine lost its claim on the host that it means, and may claim that host again: as the caches have it. */
export function isMeantBy(ports: Ports, host: MacHostObject | undefined, machine: MachineObject): boolean {
  const known = { machines: ports.meaning(hostOf(machine) ?? ''), wish: wishFor(ports, machine) };
  return host !== undefined && isMeant(host, machine, known);
}

function wishFor(ports: Ports, machine: MachineObject): MachineWish | undefined {
  return wishOf(machine, { ...ports, ripePending: ports.pendingAtRest() });
}
