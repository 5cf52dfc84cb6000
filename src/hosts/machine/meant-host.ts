/**
 * A machine whose claim on a host was lost, with the MacHost or because the claim was removed, before the machine was
 * bound. The host counts as used only because of this machine, so the machine may claim the host again. Otherwise
 * host and machine would wait for each other for ever.
 */
import { isPoolName } from '../../api/names/host-names.ts';
import { refusalOf, type HostRequirements } from '../state/candidates.ts';
import type { HostRecord } from '../state/host-record.ts';
import { hadServerId, hostOf, recordOf, type MacHostObject, type MachineObject } from '../state/objects.ts';
import { ownershipOf } from '../state/ownership.ts';

interface Known {
  /** At least the machines that name the host. */
  readonly machines: readonly MachineObject[];
  readonly requirements: HostRequirements | undefined;
}

/** The machine may claim the host again. */
export function isMeant(
  object: MacHostObject,
  machine: MachineObject,
  { machines, requirements }: Known,
): boolean {
  const { uid } = machine.metadata;
  const host = recordOf(object);
  if (requirements === undefined || hostOf(machine) !== host.id || hadServerId(machine)) return false;
  const { speakers } = ownershipOf(host, machines);
  if (speakers.some((speaker) => speaker.uid !== uid && !speaker.isIntentOnly)) return false;
  if (!isUsedForItAlone(host, machine, requirements)) return false;
  const { used: _used, ...spec } = host.spec;
  return spec.personName === undefined && refusalOf({ ...host, spec }, requirements) === undefined;
}

/** The last claim was the machine's own; or the MacHost was created again, without an owner or a wipe. */
function isUsedForItAlone(
  { spec, status }: HostRecord,
  machine: MachineObject,
  requirements: HostRequirements,
): boolean {
  if (spec.lastOwner !== undefined) return spec.lastOwner.uid === machine.metadata.uid;
  const wasWiped = (status.installEpoch ?? 0) > 0 || status.wipe !== undefined;
  return !wasWiped && isPoolName(spec.firstSeenName ?? '', requirements.poolPrefix);
}
