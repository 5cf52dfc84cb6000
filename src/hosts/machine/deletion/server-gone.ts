/** After a MacHost was lost, only the provider can say whether the server is gone. */
import { FleetError, isFleetError } from '../../../platform/errors/fleet-error.ts';
import type { Provider, ServerAddress } from '../../provider/port.ts';
import { isNoId } from '../machine-predicates.ts';

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
