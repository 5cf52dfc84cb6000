/**
 * An error in the form of Kubernetes: clients branch on `reason`, and tools print `details.causes`. The verbs throw it,
 * and one place converts it to a response.
 */
import type { JsonObject } from './json.ts';

export interface Cause {
  readonly field: string;
  readonly reason: string;
  readonly message: string;
}

export interface Subject {
  readonly group: string;
  readonly kind: string;
  readonly name?: string;
}

const codes = {
  BadRequest: 400,
  Unauthorized: 401,
  Forbidden: 403,
  NotFound: 404,
  MethodNotAllowed: 405,
  NotAcceptable: 406,
  AlreadyExists: 409,
  Conflict: 409,
  Expired: 410,
  RequestEntityTooLarge: 413,
  UnsupportedMediaType: 415,
  Invalid: 422,
  TooManyRequests: 429,
  InternalError: 500,
  ServiceUnavailable: 503,
  Timeout: 504,
  /** Has no reason; the field is omitted. */
  Unknown: 500,
} as const;

export type Reason = keyof typeof codes;

interface MoreDetails {
  readonly subject?: Subject;
  readonly causes?: readonly Cause[];
  /** For errors that may succeed on a retry. */
  readonly retryAfterSeconds?: number | undefined;
}

export class StatusError extends Error {
  readonly reason: Reason;
  readonly subject: Subject | undefined;
  readonly causes: readonly Cause[];
  readonly retryAfterSeconds: number | undefined;

  constructor(reason: Reason, message: string, more: MoreDetails = {}) {
    super(message);
    this.name = 'StatusError';
    this.reason = reason;
    this.subject = more.subject;
    this.causes = more.causes ?? [];
    this.retryAfterSeconds = more.retryAfterSeconds;
  }

  get code(): number {
    return codes[this.reason];
  }

  /** The body of the response, and the object of an ERROR event in a watch. */
  toObject(): JsonObject {
    const causes = this.causes.map(({ field, reason, message }) => ({
      ...(reason !== '' && { reason }),
      message,
      ...(field !== '' && { field }),
    }));
    const { retryAfterSeconds } = this;
    const details: JsonObject = {
      ...subjectDetails(this.subject),
      ...(causes.length > 0 && { causes }),
      ...(retryAfterSeconds !== undefined && { retryAfterSeconds }),
    };
    return {
      kind: 'Status',
      apiVersion: 'v1',
      metadata: {},
      status: 'Failure',
      message: this.message,
      ...(this.reason !== 'Unknown' && { reason: this.reason }),
      // Clients read `details.name` of NotFound without a check, so details are always present.
      ...((Object.keys(details).length > 0 || this.reason === 'NotFound') && { details }),
      code: this.code,
    };
  }
}

function subjectDetails(subject: Subject | undefined): JsonObject {
  if (subject === undefined) return {};
  return {
    ...(subject.name !== undefined && subject.name !== '' && { name: subject.name }),
    ...(subject.group !== '' && { group: subject.group }),
    kind: subject.kind,
  };
}

export function invalid(subject: Subject, causes: readonly Cause[]): StatusError {
  const said = causes.map((cause) => `${cause.field}: ${cause.message}`).join(', ');
  return new StatusError('Invalid', `${subject.kind} "${subject.name ?? ''}" is invalid: ${said}`, {
    subject,
    causes,
  });
}

export function badRequest(message: string): StatusError {
  return new StatusError('BadRequest', message);
}
