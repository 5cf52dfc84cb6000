/** Predicates on a stored machine and its host. */
import { goneStatus } from '../state/host-record.ts';
import { annotations } from '../../api/names/annotations.ts';
import { finalizers } from '../../api/names/finalizers.ts';
import { HostId } from '../../api/names/ids.ts';
import type { FleetError } from '../../platform/errors/fleet-error.ts';
import type { MacHostObject, MachineObject } from '../state/objects.ts';
import { hostIdsIn } from '../state/ownership.ts';
import type { Place } from '../../kube/client/kube-object.ts';

/** The metadata with our finalizer, for a write that fails if the object has changed. */
export function withFinalizer({ metadata }: MachineObject) {
  const { finalizers: had = [], resourceVersion } = metadata;
  const held = had.includes(finalizers.machine.key) ? had : [...had, finalizers.machine.key];
  return { resourceVersion, finalizers: held };
}

export function placeOf({ metadata }: MachineObject): Place {
  return { name: metadata.name, ...(metadata.namespace !== undefined && { namespace: metadata.namespace }) };
}

/** Without a claim, only the server name shows the owner. The name of a server that is gone never appears again. */
export function isKnown({ spec, status }: MacHostObject): boolean {
  const { name, status: shown } = status?.observed ?? {};
  return spec?.claim !== undefined || name !== undefined || shown === goneStatus;
}

/** An id written by hand that no server can have: waiting for such a server to go would never end. */
export function isNoId(id: string, { reason }: FleetError): boolean {
  return reason === 'InvalidArguments' && !HostId.safeParse(id).success;
}

/** An operator confirmed that the server is gone, because the provider can no longer answer for it. */
export function isMarkedGone({ metadata }: MachineObject, hostId: string): boolean {
  return metadata.annotations?.[annotations.hostGone.key] === hostId;
}

/** An operator marked each server as gone that the machine names. */
export function namesOnlyGone(machine: MachineObject): boolean {
  const ids = hostIdsIn(machine);
  return ids.length > 0 && ids.every((id) => isMarkedGone(machine, id));
}

export function hasFinalizer({ metadata }: MachineObject): boolean {
  return metadata.finalizers?.includes(finalizers.machine.key) === true;
}

/** The machine names a host in its status. */
export function isBound({ status }: MachineObject): boolean {
  return status?.serverID !== undefined && status.serverID !== '';
}
