/**
 * A rename that was sent and has not been done yet. Its claim may be lost by then, with the MacHost or with the machine that
 * had the name before: a machine that takes another host meanwhile would leave two servers with one name.
 */
import { lateRequestMs } from '../state/host-transitions.ts';
import type { HostRecord } from '../state/host-record.ts';
import type { MacHostObject, MachineObject } from '../state/objects.ts';
import type { Observed } from './decision.ts';

/** The host whose server may still be given the name of the machine. */
export function lateRename(
  { machine, host, now }: Observed,
  records: readonly HostRecord[],
): string | undefined {
  const isLost = host !== undefined && ((isMadeAgain(host) && isNew(host, now)) || isTakenOff(host, machine));
  if (isLost) return host.metadata.name;
  if (!isNew(machine, now)) return undefined;
  return records.find((record) => isOfFormer(record, machine))?.id;
}

/** The machine names the host, and the MacHost knows nothing of a claim: it was lost, and the inventory made it again. */
function isMadeAgain({ spec }: MacHostObject): boolean {
  return spec?.claim === undefined && spec?.used === true;
}

/** Somebody wrote an order over the claim of the machine. The order is dropped, and the machine claims the host again. */
function isTakenOff({ spec }: MacHostObject, { metadata }: MachineObject): boolean {
  const isOfMachine = spec?.claim === undefined && spec?.lastOwner?.uid === metadata.uid;
  return isOfMachine && spec?.release !== undefined;
}

/** A rename was sent for an earlier machine of this name, which was there until this one was created. */
function isOfFormer({ spec, status }: HostRecord, { metadata }: MachineObject): boolean {
  const { claim, release } = spec;
  const isSameName = claim?.name === metadata.name && claim.namespace === metadata.namespace;
  const isPast = release !== undefined && status.wipe?.startedAt !== undefined;
  return isSameName && claim.uid !== metadata.uid && !isPast;
}

function isNew({ metadata }: MacHostObject | MachineObject, now: number): boolean {
  return now - Date.parse(metadata.creationTimestamp ?? '') < lateRequestMs;
}
