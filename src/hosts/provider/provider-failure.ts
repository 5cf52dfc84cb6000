/** A failure of a provider: a `FleetError` with a reason from the closed list. */
import type { ProviderReason } from '../../api/conditions/reasons.ts';
import { FleetError, type FailureDetails, type FailureKind } from '../../platform/errors/fleet-error.ts';

interface Said {
  readonly reason: ProviderReason;
  readonly message: string;
}

export function providerFailure(kind: FailureKind, said: Said, details: FailureDetails = {}): FleetError {
  return new FleetError(kind, said, details);
}
