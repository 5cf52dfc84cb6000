/**
 * External failures, in five kinds. Ports translate foreign errors at the edge; no other code looks at status codes
 * or error classes of libraries.
 */
import type { FailureReason } from '../../api/conditions/reasons.ts';

export type FailureKind =
  /** The target does not exist; for a delete that is success. */
  | 'gone'
  /** Another writer was first; read again now. */
  | 'conflict'
  /** The target refuses until a known or estimated time. */
  | 'notYet'
  /** Network, overload, or an unintelligible answer. */
  | 'unavailable'
  /** The request will never succeed as it is; a person or a new spec is needed. */
  | 'rejected';

export interface FailureDetails {
  readonly cause?: unknown;
  /** When to try again, in milliseconds since the epoch. */
  readonly retryAt?: number;
}

export class FleetError extends Error {
  readonly kind: FailureKind;
  /** One word in PascalCase, as in conditions, Events and metrics. */
  readonly reason: FailureReason;
  readonly retryAt: number | undefined;

  constructor(kind: FailureKind, { reason, message }: Said, details: FailureDetails = {}) {
    super(message, details.cause === undefined ? {} : { cause: details.cause });
    this.name = 'FleetError';
    this.kind = kind;
    this.reason = reason;
    this.retryAt = details.retryAt;
  }
}

interface Said {
  readonly reason: FailureReason;
  /** A sentence for people; contains no secret and is printed once. */
  readonly message: string;
}

export function isFleetError(error: unknown, kind?: FailureKind): error is FleetError {
  return error instanceof FleetError && (kind === undefined || error.kind === kind);
}
