/**
 * Writes the release order of a deleted machine on its host, and removes the finalizer once no host is left. The
 * machine and the host are read again, and written with the versions that were read.
 */
import { isDeleting } from '../../../kube/client/kube-object.ts';
import { finalizers } from '../../../api/names/finalizers.ts';
import { goneStatus } from '../../state/host-record.ts';
import { hostsOf, macHosts, machines, type MacHostObject, type MachineObject } from '../../state/objects.ts';
import { timeText } from '../../../platform/time-text.ts';
import { dropFinalizer } from '../../../kube/reconciler/finalizers.ts';
import { freshRead } from '../../../kube/reconciler/fresh-read.ts';
import type { ActionResult } from '../../../kube/reconciler/plan.ts';
import { zoneOf, zonesOf } from '../adoption/host-requirements.ts';
import { dropCredentials } from '../binding/credentials.ts';
import { servedBy } from '../binding/restore-binding.ts';
import { isHeldFor, isHoldDue, isTakenOff, isUnseenHost } from '../hold/operator-hold.ts';
import type { MachinePorts } from '../ports.ts';
import { isServerNamedByPerson, isShared, othersOn } from './other-machines.ts';
import { mustRelease, releaseFor, releaseOrderOf } from './release-order.ts';
import { assertServerGone, isMarkedGone, namesOnlyGone } from './server-gone.ts';

export async function giveUp(
  ports: MachinePorts,
  current: MachineObject,
  hostId: string,
): Promise<ActionResult> {
  const { client, now } = ports;
  if (!isDeleting(current)) return 'precondition-lost';
  const { object: host } = await freshRead(client, macHosts, { name: hostId });
  if (host === undefined || !isKnown(host)) return 'precondition-lost';
  const shared = isShared(ports, host, current);
  // mutation: deleting-machine-checks-order-again
  if (!mustRelease(host, current, shared)) return 'precondition-lost';
  const { annotations: marks, ...spec } = releaseOrderOf(current, {
    at: timeText(now()),
    host,
    isShared: shared,
    isNamedByPerson: isServerNamedByPerson(ports, host),
    leaving: othersOn(ports, host, current).leaving,
    release: releaseFor(host, current, ports),
  });
  const { resourceVersion } = host.metadata;
  const metadata = { resourceVersion, ...(marks !== undefined && { annotations: marks }) };
  await client.patch(macHosts, { name: hostId }, { merge: { metadata, spec } });
  return 'requested';
}

/** Without a claim, only the server name shows the owner. The name of a server that is gone never appears again. */
export function isKnown({ spec, status }: MacHostObject): boolean {
  const { name, status: shown } = status?.observed ?? {};
  return spec?.claim !== undefined || name !== undefined || shown === goneStatus;
}

export async function removeFinalizer(ports: MachinePorts, current: MachineObject): Promise<ActionResult> {
  if (!isDeleting(current)) return 'precondition-lost';
  const about = ports.hostsAbout(current).map(({ metadata }) => metadata.name);
  // mutation: cleared-machine-goes-after-listing
  if (mayBeUnlisted(ports, current)) return 'precondition-lost';
  const said = new Set([...hostsOf(current), ...servedBy(current), ...about]);
  // mutation: read-host-before-finalizer-goes
  for (const hostId of said) if (await stillHas(ports, current, hostId)) return 'precondition-lost';
  await dropCredentials(ports, current);
  await dropFinalizer(ports.client, { resource: machines, object: current }, finalizers.machine.key);
  return 'requested';
}

/** After MacHosts are lost, the host of a cleared machine may be known only by the name of its server. */
function mayBeUnlisted(ports: MachinePorts, machine: MachineObject): boolean {
  const about = ports.hostsAbout(machine);
  if (!isTakenOff(machine, about) || about.some((host) => isHeldFor(host, machine))) return false;
  return !namesOnlyGone(machine) && !zonesOf(machine).every(ports.isListed);
}

/** Whether the machine has a host without an order, a record or a hold. */
async function stillHas(ports: MachinePorts, machine: MachineObject, hostId: string): Promise<boolean> {
  const { object: host } = await freshRead(ports.client, macHosts, { name: hostId });
  if (host !== undefined) {
    if (isHoldDue(host, machine) || isUnseenHost(host, machine)) return true;
    return mustRelease(host, machine, isShared(ports, host, machine));
  }
  const wasItsHost = servedBy(machine).includes(hostId) || isTakenOff(machine, []);
  // mutation: operator-marks-server-gone
  if (!wasItsHost || isMarkedGone(machine, hostId)) return false;
  // A lost MacHost proves nothing about the server: only the provider can.
  // mutation: assert-server-gone
  await assertServerGone(ports.provider, { zone: zoneOf(machine.spec), id: hostId });
  return false;
}
