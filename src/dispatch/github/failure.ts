/**
 * Maps answers of GitHub, and lost answers, to the five failure kinds. Only this file knows GitHub's status codes. An
 * unknown answer is `unavailable`: the caller retries, and must not conclude that anything is gone.
 */
import type { Reason } from '../../api/conditions/reasons.ts';
import { FleetError, type FailureKind } from '../../platform/errors/fleet-error.ts';
import { withoutSecrets } from '../../platform/process/secret-words.ts';
import type { LostReply, Question, Reply } from './reply.ts';
import { restUntil } from './rest-until.ts';

const textMax = 300;

type Verdict = readonly [FailureKind, Reason];

const byStatus: Readonly<Record<number, Verdict>> = {
  400: ['rejected', 'InvalidRequest'],
  401: ['unavailable', 'Unauthenticated'],
  403: ['rejected', 'PermissionDenied'],
  404: ['gone', 'NotFound'],
  409: ['conflict', 'AlreadyExists'],
  410: ['gone', 'NotFound'],
  422: ['rejected', 'InvalidRequest'],
  451: ['rejected', 'PermissionDenied'],
};

/** An unclear answer to a write means that the write may have happened. */
function unclear(status: number, { isWrite }: Question): Verdict {
  if (status >= 300 && status < 400) return ['unavailable', 'RedirectRefused'];
  if (isWrite) return ['unavailable', 'OutcomeUnknown'];
  return ['unavailable', status < 300 ? 'UnreadableReply' : 'GitHubUnavailable'];
}

export function failureOf(reply: Reply, question: Question, now: number): FleetError {
  const said = saidIn(reply.body);
  const retryAt = restUntil(reply, said ?? '', now);
  const [kind, reason] =
    retryAt === undefined ? verdictOf(reply, said, question) : (['notYet', 'RateLimited'] as const);
  const message = `${question.doing}: ${reply.status}${said === undefined ? '' : ` ${said}`}`;
  return new FleetError(kind, { reason, message }, retryAt === undefined ? {} : { retryAt });
}

export function lostFailure({ certainty, message }: LostReply, { doing, isWrite }: Question): FleetError {
  const reasons: Readonly<Record<LostReply['certainty'], Reason>> = {
    unsent: 'Unreachable',
    unknown: isWrite ? 'OutcomeUnknown' : 'GitHubUnavailable',
    unreadable: isWrite ? 'OutcomeUnknown' : 'UnreadableReply',
  };
  return new FleetError('unavailable', { reason: reasons[certainty], message: `${doing}: ${message}` });
}

/** GitHub always answers in JSON with a message. A bare 404 or 403 comes from a proxy and proves nothing. */
function verdictOf({ status }: Reply, said: string | undefined, question: Question): Verdict {
  const verdict = byStatus[status];
  if (verdict === undefined) return unclear(status, question);
  return said === undefined && verdict[0] !== 'unavailable' ? ['unavailable', 'GitHubUnavailable'] : verdict;
}

/** Only the `message` field, without secrets: an answer may contain anything. */
function saidIn(body: unknown): string | undefined {
  if (typeof body !== 'object' || body === null || !('message' in body)) return undefined;
  if (typeof body.message !== 'string') return undefined;
  return withoutSecrets(body.message.replaceAll(/\p{C}/gu, ' ').slice(0, textMax));
}
