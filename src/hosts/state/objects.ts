/** Client types of hosts and machines, and the parts of them on which decisions depend. */
import { annotations } from '../../api/names/annotations.ts';
import { finalizers } from '../../api/names/finalizers.ts';
import { macHost } from '../../api/kinds/mac-host.ts';
import {
  scalewayAppleSiliconMachine,
  type ScalewayAppleSiliconMachine,
} from '../../api/kinds/scaleway-apple-silicon-machine.ts';
import type { KubeObject, Place, Resource } from '../../kube/client/kube-object.ts';
import type { Claim, HostRecord, HostSpec, HostStatus } from './host-record.ts';

export interface MacHostObject extends KubeObject {
  readonly spec?: HostSpec;
  readonly status?: HostStatus;
}

export interface MachineObject extends KubeObject {
  readonly spec?: ScalewayAppleSiliconMachine['spec'];
  readonly status?: ScalewayAppleSiliconMachine['status'];
}

export const macHosts: Resource<MacHostObject> = {
  group: macHost.group,
  version: macHost.version,
  plural: macHost.plural,
  kind: macHost.kind,
  namespaced: false,
};

export const machines: Resource<MachineObject> = {
  group: scalewayAppleSiliconMachine.group,
  version: scalewayAppleSiliconMachine.version,
  plural: scalewayAppleSiliconMachine.plural,
  kind: scalewayAppleSiliconMachine.kind,
  namespaced: true,
};

export function recordOf({ metadata, spec = {}, status = {} }: MacHostObject): HostRecord {
  return { id: metadata.name, spec, status };
}

export function placeOf({ metadata }: MachineObject): Place {
  return { name: metadata.name, ...(metadata.namespace !== undefined && { namespace: metadata.namespace }) };
}

export function hasFinalizer({ metadata }: MachineObject): boolean {
  return metadata.finalizers?.includes(finalizers.machine.key) === true;
}

/** The machine names a host in its status. */
export function isBound({ status }: MachineObject): boolean {
  return status?.serverID !== undefined && status.serverID !== '';
}

/** The host that a machine holds or is about to claim. */
export function hostOf({ metadata, status }: MachineObject): string | undefined {
  const meant = metadata.annotations?.[annotations.host.key] ?? status?.serverID;
  return meant === undefined || meant === '' ? undefined : meant;
}

/** Every host of the machine: the one it names and the one in its status. */
export function hostsOf(machine: MachineObject): readonly string[] {
  const said = [hostOf(machine) ?? '', machine.status?.serverID ?? ''];
  return [...new Set(said.filter((id) => id !== ''))];
}

/**
 * These fields are written together with the server id, and stay when an operator clears that id. A machine restored
 * from a backup has no status. A machine whose adoption was cut off does not have these fields yet.
 */
export function hadServerId({ status }: MachineObject): boolean {
  const { ready, initialization, addresses = [] } = status ?? {};
  return ready === true || initialization?.provisioned === true || addresses.length > 0;
}

/** Uids of the machines that the record of a host names. */
export function machineUidsOn({ spec, status }: Pick<MacHostObject, 'spec' | 'status'>): readonly string[] {
  const uids = [spec?.claim?.uid, spec?.lastOwner?.uid, spec?.hold?.machineUid, status?.servedUid];
  return [...new Set(uids.filter((uid) => uid !== undefined))];
}

/** Whether the claim belongs to a machine that names this very host. */
export function isClaimOf(claim: Claim, hostId: string, machine: MachineObject): boolean {
  return machine.metadata.uid === claim.uid && hostOf(machine) === hostId;
}

/** The presence of the annotation counts, not its value. */
export function isPaused({ metadata }: KubeObject): boolean {
  return metadata.annotations?.[annotations.paused.key] !== undefined;
}
