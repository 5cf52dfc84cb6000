/** How a machine knows that a server is gone: from the provider, or from an operator. */
import { annotations } from '../../../api/names/annotations.ts';
import { HostId } from '../../../api/names/ids.ts';
import { FleetError, isFleetError } from '../../../platform/errors/fleet-error.ts';
import type { Provider, ServerAddress } from '../../provider/port.ts';
import type { MachineObject } from '../../state/objects.ts';
import { hostIdsIn } from '../../state/ownership.ts';

/** An operator confirmed that the server is gone, because the provider can no longer answer for it. */
export function isMarkedGone({ metadata }: MachineObject, hostId: string): boolean {
  return metadata.annotations?.[annotations.hostGone.key] === hostId;
}

/** An operator marked each server as gone that the machine names. */
export function namesOnlyGone(machine: MachineObject): boolean {
  const ids = hostIdsIn(machine);
  return ids.length > 0 && ids.every((id) => isMarkedGone(machine, id));
}

/** After a MacHost was lost, only the provider can say whether the server is gone. */
export async function assertServerGone(
  provider: Pick<Provider, 'getServer'>,
  { zone, id }: ServerAddress,
): Promise<void> {
  try {
    await provider.getServer({ zone, id });
  } catch (error) {
    if (isFleetError(error) && (error.kind === 'gone' || isNoId(id, error))) return;
    throw error;
  }
  throw new FleetError('notYet', {
    reason: 'ReleaseFailed',
    message: `the server ${id} exists, but its MacHost does not; the next inventory creates the MacHost`,
  });
}

/** An id written by hand that no server can have: waiting for such a server to go would never end. */
function isNoId(id: string, { reason }: FleetError): boolean {
  return reason === 'InvalidArguments' && !HostId.safeParse(id).success;
}
