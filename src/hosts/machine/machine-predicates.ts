/** Small facts of a machine and its host as they are stored. */
import { goneStatus } from '../state/host-record.ts';
import { annotations } from '../../api/names/annotations.ts';
import { finalizers } from '../../api/names/finalizers.ts';
import { HostId } from '../../api/names/ids.ts';
import type { FleetError } from '../../platform/errors/fleet-error.ts';
import type { MacHostObject, MachineObject } from '../state/objects.ts';
import { hostIdsIn } from '../state/ownership.ts';
import type { Place } from '../../kube/client/kube-object.ts';

/** Its metadata with our finalizer, for a write that fails if anybody else has written. */
export function withFinalizer({ metadata }: MachineObject) {
  const { finalizers: had = [], resourceVersion } = metadata;
  const held = had.includes(finalizers.machine.key) ? had : [...had, finalizers.machine.key];
  return { resourceVersion, finalizers: held };
}

export function placeOf({ metadata }: MachineObject): Place {
  return { name: metadata.name, ...(metadata.namespace !== undefined && { namespace: metadata.namespace }) };
}

/** Without a claim only the name of the server tells whose the server is. The name of a server that is gone is never seen again. */
export function isKnown({ spec, status }: MacHostObject): boolean {
  const { name, status: shown } = status?.observed ?? {};
  return spec?.claim !== undefined || name !== undefined || shown === goneStatus;
}

/** Somebody wrote it by hand: no server can be called so, and waiting for one to go would never end. */
export function isNoId(id: string, { reason }: FleetError): boolean {
  return reason === 'InvalidArguments' && !HostId.safeParse(id).success;
}

/** A person took it upon themselves: nobody can be asked about the server any more, and the machine must not stay for ever. */
export function isMarkedGone({ metadata }: MachineObject, hostId: string): boolean {
  return metadata.annotations?.[annotations.hostGone.key] === hostId;
}

/** A person called each server gone that the machine names. */
export function namesOnlyGone(machine: MachineObject): boolean {
  const ids = hostIdsIn(machine);
  return ids.length > 0 && ids.every((id) => isMarkedGone(machine, id));
}

export function hasFinalizer({ metadata }: MachineObject): boolean {
  return metadata.finalizers?.includes(finalizers.machine.key) === true;
}

/** It says that it was served. */
export function isBound({ status }: MachineObject): boolean {
  return status?.serverID !== undefined && status.serverID !== '';
}
