/**
 * Actions of a deleted machine on its hosts. Each action reads the machine and the host again and writes with their
 * versions.
 */
import { isDeleting } from '../../kube/client/kube-object.ts';
import { finalizers } from '../../api/names/finalizers.ts';
import { isNamedByPerson, nameClassOf } from '../state/host-state.ts';
import {
  hostsOf,
  macHosts,
  machines,
  recordOf,
  type MacHostObject,
  type MachineObject,
} from '../state/objects.ts';
import { hostIdsIn, type Speaker } from '../state/ownership.ts';
import { timeText } from '../../platform/time-text.ts';
import { dropFinalizer } from '../../kube/reconciler/finalizers.ts';
import { freshRead } from '../../kube/reconciler/fresh-read.ts';
import type { ActionResult } from '../../kube/reconciler/plan.ts';
import { dropCredentials } from './binding/credentials.ts';
import type { Observed } from './decision.ts';
import { assertServerGone } from './deletion/server-gone.ts';
import type { MachinePorts } from './ports.ts';
import { holdPatch, isHeldFor, isTakenOff, isUnseenHost, needsHold } from './hold/operator-hold.ts';
import { mustRelease, releaseOrderOf, releaseFor } from './deletion/release-order.ts';
import { servedBy } from './binding/restore-binding.ts';
import { isMarkedGone, isKnown, namesOnlyGone } from './machine-predicates.ts';
import { zoneOf, zonesOf } from './adoption/host-requirements.ts';

/** Other machines that speak for this machine's host, split by whether they are being deleted. */
export function othersOn(
  ports: Pick<MachinePorts, 'view'>,
  host: MacHostObject,
  { metadata }: MachineObject,
): { readonly staying: readonly Speaker[]; readonly leaving: readonly Speaker[] } {
  const { speakers } = ports.view().ownershipOf(recordOf(host));
  const others = speakers.filter(({ uid }) => uid !== metadata.uid);
  return {
    staying: others.filter((other) => !other.isDeleting),
    leaving: others.filter((other) => other.isDeleting),
  };
}

/** A host with other live machines is not wiped. */
export function isShared(
  ports: Pick<MachinePorts, 'view'>,
  host: MacHostObject,
  machine: MachineObject,
): boolean {
  // mutation: intent-does-not-share-host
  return othersOn(ports, host, machine).staying.some(({ isIntentOnly }) => !isIntentOnly);
}

export function isServingOthers(
  ports: Pick<MachinePorts, 'view'>,
  host: MacHostObject,
  machine: MachineObject,
): boolean {
  return othersOn(ports, host, machine).staying.some(({ by }) => by.includes('serverID'));
}

export function isServerNamedByPerson(ports: Pick<MachinePorts, 'view'>, host: MacHostObject): boolean {
  const [view, record] = [ports.view(), recordOf(host)];
  if (record.status.observed?.name === undefined) return false;
  return isNamedByPerson(nameClassOf(record, view.ownershipOf(record), view), record);
}

export async function giveUp(
  ports: MachinePorts,
  current: MachineObject,
  hostId: string,
): Promise<ActionResult> {
  const { client, now } = ports;
  if (!isDeleting(current)) return 'overtaken';
  const { object: host } = await freshRead(client, macHosts, { name: hostId });
  if (host === undefined || !isKnown(host)) return 'overtaken';
  const shared = isShared(ports, host, current);
  // mutation: deleting-machine-checks-order-again
  if (!mustRelease(host, current, shared)) return 'overtaken';
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
  return 'asked';
}

export async function letGo(ports: MachinePorts, current: MachineObject): Promise<ActionResult> {
  if (!isDeleting(current)) return 'overtaken';
  const about = ports.hostsAbout(current).map(({ metadata }) => metadata.name);
  // mutation: cleared-machine-goes-after-listing
  if (mayBeUnlisted(ports, current)) return 'overtaken';
  const said = new Set([...hostsOf(current), ...servedBy(current), ...about]);
  // mutation: read-host-before-finalizer-goes
  for (const hostId of said) if (await stillHas(ports, current, hostId)) return 'overtaken';
  await dropCredentials(ports, current);
  await dropFinalizer(ports.client, { resource: machines, object: current }, finalizers.machine.key);
  return 'asked';
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

/** When the machine is deleted, its claim on a held host ends, as after `muster detach`. */
export function isHoldDue(host: MacHostObject, machine: MachineObject): boolean {
  if (needsHold(host, machine)) return true;
  const { uid } = machine.metadata;
  // A machine that was unpaused and deleted at once has written its order, which waits for the end of the hold.
  const isOurs = host.spec?.claim?.uid === uid && host.spec.release?.machineUid !== uid;
  return isDeleting(machine) && isOurs && isHeldFor(host, machine);
}

export type Holds = Pick<Observed, 'isTakenOff' | 'toHold' | 'unseen' | 'heldFor'>;

/** The holds that are due after an operator cleared the server id of the paused machine. */
export function holdsOf(
  { hostsAbout, findHost }: Pick<MachinePorts, 'hostsAbout' | 'findHost'>,
  machine: MachineObject,
): Holds {
  const about = hostsAbout(machine);
  const said = hostIdsIn(machine).flatMap((id) => findHost(id) ?? []);
  const idOf = (host: MacHostObject | undefined): string | undefined => host?.metadata.name;
  return {
    isTakenOff: isTakenOff(machine, about),
    toHold: idOf([...about, ...said].find((host) => isHoldDue(host, machine))),
    unseen: idOf(said.find((host) => isUnseenHost(host, machine))),
    heldFor: idOf(about.find((host) => isHeldFor(host, machine))),
  };
}

export async function hold(
  ports: MachinePorts,
  current: MachineObject,
  hostId: string,
): Promise<ActionResult> {
  const { client, now } = ports;
  const { object: host } = await freshRead(client, macHosts, { name: hostId });
  if (host === undefined || !isHoldDue(host, current)) return 'overtaken';
  const { resourceVersion } = host.metadata;
  const spec = {
    ...(host.spec?.hold === undefined && holdPatch(current, timeText(now()))),
    ...ownerPatch(host, current),
  };
  await client.patch(macHosts, { name: hostId }, { merge: { metadata: { resourceVersion }, spec } });
  return 'asked';
}

/** The deleted machine's claim ends, as after `muster detach`. A claim of another machine stays. */
function ownerPatch({ spec }: MacHostObject, machine: MachineObject): object {
  const { namespace = '', name, uid } = machine.metadata;
  if (spec?.claim !== undefined && spec.claim.uid !== uid) return {};
  const lastOwner = { namespace, name, uid };
  return isDeleting(machine) ? { lastOwner, claim: null, used: true } : { lastOwner };
}
