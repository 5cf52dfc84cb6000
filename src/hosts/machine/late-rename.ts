/**
 * A rename that was sent and is not visible yet. Its claim may be lost, with the MacHost or with the machine that had
 * the name before. A machine that took another host meanwhile would leave two servers with one name.
 */
import { lateRequestMs } from '../state/host-transitions.ts';
import type { HostRecord } from '../state/host-record.ts';
import type { MacHostObject, MachineObject } from '../state/objects.ts';
import type { Observed } from './decision.ts';

/** The host whose server may still get the name of the machine. */
export function lateRename(
  { machine, host, now }: Observed,
  records: readonly HostRecord[],
): string | undefined {
  const isLost = host !== undefined && ((isMadeAgain(host) && isNew(host, now)) || isTakenOff(host, machine));
  if (isLost) return host.metadata.name;
  if (!isNew(machine, now)) return undefined;
  return records.find((record) => isOfFormer(record, machine))?.id;
}

/**
 * The machine names the host, but the MacHost has no claim: the MacHost was lost, and the inventory created it again.
 */
function isMadeAgain({ spec }: MacHostObject): boolean {
  return spec?.claim === undefined && spec?.used === true;
}

/** An order replaced the machine's claim. The order is dropped, and the machine claims the host again. */
function isTakenOff({ spec }: MacHostObject, { metadata }: MachineObject): boolean {
  const isOfMachine = spec?.claim === undefined && spec?.lastOwner?.uid === metadata.uid;
  return isOfMachine && spec?.release !== undefined;
}

/** The rename was sent for an earlier machine of this name, which existed until this machine was created. */
function isOfFormer({ spec, status }: HostRecord, { metadata }: MachineObject): boolean {
  const { claim, release } = spec;
  const isSameName = claim?.name === metadata.name && claim.namespace === metadata.namespace;
  const isPast = release !== undefined && status.wipe?.startedAt !== undefined;
  return isSameName && claim.uid !== metadata.uid && !isPast;
}

function isNew({ metadata }: MacHostObject | MachineObject, now: number): boolean {
  return now - Date.parse(metadata.creationTimestamp ?? '') < lateRequestMs;
}
