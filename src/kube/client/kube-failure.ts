/**
 * From what a Kubernetes API answers, or does not, to one of the five kinds of failure; the only place that knows codes.
 * A code alone proves nothing: a proxy in front of an API that is away says 404 and 403 too. Only a Status speaks for
 * Kubernetes, and only one about the very object says that it is gone.
 */
import { isReason, type FailureReason, type Reason } from '../../api/conditions/reasons.ts';
import { FleetError, type FailureKind } from '../../platform/errors/fleet-error.ts';
import { fieldsOf, type Fields } from './fields.ts';
import type { Resource } from './kube-object.ts';
import { TransportError, type KubeResponse } from './transport.ts';

/** What was asked. */
export interface Question {
  /** For people. */
  readonly doing: string;
  readonly resource: Resource;
  /** Given where it was about one object. */
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
/** Nobody is believed who wants to be left alone for longer. */
const retryAfterMaxSeconds = 3600;

/** What is not known is tried again: it is neither a success nor leave to destroy anything. */
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

/** Not where the namespace, the subresource or the whole resource is what was not found. */
function provesAbsence(said: Fields, { resource, name }: Question): boolean {
  if (said['reason'] !== 'NotFound') return false;
  const about = fieldsOf(said['details']);
  return name === undefined || (about['name'] === name && about['kind'] === resource.plural);
}

/** Overload, a missing right to enter and a broken server are told in plain text even by Kubernetes. */
function reasonWithout({ status }: KubeResponse, isStatus: boolean): FailureReason {
  const isPlain = isStatus || status === 401 || status === 429 || status >= 500;
  if (isPlain) return `Http${status}`;
  return isRedirect(status) ? 'Redirected' : 'NotKubernetes';
}

function sentence(status: number, said: Fields): string {
  if (isRedirect(status)) return 'the server redirects to another place, which is not followed';
  return textIn(said['message'])?.slice(0, textMax) ?? 'without a reason';
}

function isRedirect(status: number): boolean {
  return status >= 300 && status < 400;
}

/** On one line, and without what would move the cursor of whoever reads it: a server may say anything. */
function textIn(value: unknown): string | undefined {
  const text = typeof value === 'string' ? value.replaceAll(/\p{Cc}+/gu, ' ').trim() : '';
  return text === '' ? undefined : text;
}

/** A reason outside the closed list says nothing to the readers of conditions and metrics. */
function knownReason(value: unknown): Reason | undefined {
  return typeof value === 'string' && isReason(value) ? value : undefined;
}
