/** Who else speaks for a host: a host with other machines, or with a name of a person, is not wiped. */
import { isNamedByPerson, nameClassOf } from '../../state/host-state.ts';
import { recordOf, type MacHostObject, type MachineObject } from '../../state/objects.ts';
import type { Speaker } from '../../state/ownership.ts';
import type { MachinePorts } from '../ports.ts';

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
