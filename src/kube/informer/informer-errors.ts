/** What an informer finds wrong by itself; everything else is said by the client. */
import type { Reason } from '../../api/conditions/reasons.ts';
import { FleetError, isFleetError } from '../../platform/errors/fleet-error.ts';
import type { Resource } from '../client/kube-object.ts';

/** Undefined where all went well; a fault of our own is none of these and goes on its way. */
export async function troubleIn(work: Promise<void>): Promise<FleetError | undefined> {
  try {
    await work;
    return undefined;
  } catch (error) {
    if (isFleetError(error)) return error;
    throw error;
  }
}

export function silent({ plural }: Resource): FleetError {
  return trouble('SilentWatch', `watch ${plural}: the server said nothing for too long`);
}

export function tooShort({ plural }: Resource): FleetError {
  return trouble('ShortWatch', `watch ${plural}: the server ended it at once, without a word`);
}

export function outdated({ plural }: Resource): FleetError {
  const message = `list ${plural}: the server answered with a state older than one it had shown before`;
  return trouble('OutdatedList', message);
}

export function endless({ plural }: Resource): FleetError {
  return trouble('EndlessList', `list ${plural}: the server answered with the same page again`);
}

function trouble(reason: Reason, message: string): FleetError {
  return new FleetError('unavailable', { reason, message });
}
