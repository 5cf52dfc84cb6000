/**
 * A machine that was about to be served by a host, or had claimed that host, and the claim was lost: with its MacHost, or
 * because somebody took the claim off. The host counts as used for no other reason than this machine, and the machine may
 * claim the host again. Without that the host waits for the machine, and the machine for a free host.
 */
import { isPoolName } from '../../api/names/host-names.ts';
import { refusalOf, type HostRequirements } from '../state/candidates.ts';
import type { HostRecord } from '../state/host-record.ts';
import { hadServerId, hostOf, recordOf, type MacHostObject, type MachineObject } from '../state/objects.ts';
import { ownershipOf } from '../state/ownership.ts';

interface Known {
  /** At least those that name the host. */
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

/** The last claim was its own; or the MacHost was made again, and knows of no owner and no wipe. */
function isUsedForItAlone(
  { spec, status }: HostRecord,
  machine: MachineObject,
  requirements: HostRequirements,
): boolean {
  if (spec.lastOwner !== undefined) return spec.lastOwner.uid === machine.metadata.uid;
  const wasWiped = (status.installEpoch ?? 0) > 0 || status.wipe !== undefined;
  return !wasWiped && isPoolName(spec.firstSeenName ?? '', requirements.poolPrefix);
}
