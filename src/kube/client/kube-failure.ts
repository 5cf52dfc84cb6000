/**
 * Classifies an answer of a Kubernetes API, or a missing answer, as one of the five kinds of failure. Only this file
 * knows the codes. A code alone proves nothing, because a proxy also sends 404 and 403. Only a Status comes from
 * Kubernetes, and only a Status about the requested object proves that the object is gone.
 */
import { isReason, type FailureReason, type Reason } from '../../api/conditions/reasons.ts';
import { FleetError, type FailureKind } from '../../platform/errors/fleet-error.ts';
import { fieldsOf, type Fields } from './fields.ts';
import type { Resource } from './kube-object.ts';
import { TransportError, type KubeResponse } from './transport.ts';

/** The request that failed. */
export interface Question {
  /** For messages. */
  readonly doing: string;
  readonly resource: Resource;
  /** Set if the request was about one object. */
  readonly name?: string | undefined;
}

const kinds: ReadonlyMap<number, FailureKind> = new Map<number, FailureKind>([
  [400, 'rejected'],
  [403, 'rejected'],
  [404, 'gone'],
  [405, 'rejected'],
  [406, 'rejected'],
  [409, 'conflict'],
  [410, 'conflict'],
  [413, 'rejected'],
  [415, 'rejected'],
  [422, 'rejected'],
]);
const textMax = 500;
/** Longer waits that a server asks for are shortened to this. */
const retryAfterMaxSeconds = 3600;

/** An unknown failure is retried: it is neither a success nor permission to destroy anything. */
export function failureOf(response: KubeResponse, question: Question, nowMs: number): FleetError {
  const { status, retryAfterSeconds: after } = response;
  const said = fieldsOf(response.body);
  const retryAt =
    after === undefined ? {} : { retryAt: nowMs + Math.min(after, retryAfterMaxSeconds) * 1000 };
  const isStatus = said['kind'] === 'Status';
  const kind = (isStatus ? kinds.get(status) : undefined) ?? 'unavailable';
  return new FleetError(
    kind === 'gone' && !provesAbsence(said, question) ? 'unavailable' : kind,
    {
      reason: (isStatus ? knownReason(said['reason']) : undefined) ?? reasonWithout(response, isStatus),
      message: `${question.doing}: ${status} ${sentence(status, said)}`,
    },
    retryAt,
  );
}

const lostReasons = {
  unsent: 'Unreachable',
  unknown: 'AnswerLost',
  unreadable: 'NotKubernetes',
} as const;

export function lostAnswer(error: unknown, doing: string): FleetError {
  if (!(error instanceof TransportError)) throw error;
  const reason = lostReasons[error.certainty];
  return new FleetError('unavailable', { reason, message: `${doing}: ${error.message}` }, { cause: error });
}

/** Not if the namespace, the subresource or the resource was not found. */
function provesAbsence(said: Fields, { resource, name }: Question): boolean {
  if (said['reason'] !== 'NotFound') return false;
  const about = fieldsOf(said['details']);
  return name === undefined || (about['name'] === name && about['kind'] === resource.plural);
}

/** Kubernetes itself reports overload, a failed authentication and server errors in plain text. */
function reasonWithout({ status }: KubeResponse, isStatus: boolean): FailureReason {
  const isPlain = isStatus || status === 401 || status === 429 || status >= 500;
  if (isPlain) return `Http${status}`;
  return isRedirect(status) ? 'Redirected' : 'NotKubernetes';
}

function sentence(status: number, said: Fields): string {
  if (isRedirect(status)) return 'the server redirects elsewhere, and redirects are not followed';
  return textIn(said['message'])?.slice(0, textMax) ?? 'without a reason';
}

function isRedirect(status: number): boolean {
  return status >= 300 && status < 400;
}

/** On one line and without control characters, because a server may send anything to a terminal. */
function textIn(value: unknown): string | undefined {
  const text = typeof value === 'string' ? value.replaceAll(/\p{Cc}+/gu, ' ').trim() : '';
  return text === '' ? undefined : text;
}

/** A reason outside the closed list says nothing to the readers of conditions and metrics. */
function knownReason(value: unknown): Reason | undefined {
  return typeof value === 'string' && isReason(value) ? value : undefined;
}
