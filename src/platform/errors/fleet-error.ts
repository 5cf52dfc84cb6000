/**
 * The five kinds of failure of the outside world. Ports translate foreign errors into these once, at the edge; nothing
 * else reads a status code or the class of a library.
 */
import type { FailureReason } from '../../api/conditions/reasons.ts';

export type FailureKind =
  /** The target does not exist; for a delete that is success. */
  | 'gone'
  /** Someone else wrote first; read again now. */
  | 'conflict'
  /** The target refuses until a time that is known or can be guessed. */
  | 'notYet'
  /** Network, overload, or an answer that nobody understands. */
  | 'unavailable'
  /** Will never work as asked; a person or a new specification is needed. */
  | 'rejected';

export interface FailureDetails {
  readonly cause?: unknown;
  /** When to try again, in milliseconds since the epoch. */
  readonly retryAt?: number;
}

export class FleetError extends Error {
  readonly kind: FailureKind;
  /** One word in PascalCase, as it appears in conditions, events and metrics. */
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
  /** A sentence for people; it holds no secret and is printed once. */
  readonly message: string;
}

export function isFleetError(error: unknown, kind?: FailureKind): error is FleetError {
  return error instanceof FleetError && (kind === undefined || error.kind === kind);
}
