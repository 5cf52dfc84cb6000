/**
 * From what GitHub answers, or does not, to one of the five kinds of failure; the only place that knows its codes. What
 * nobody knows is `unavailable`: it is tried again, and is no leave to forget anything.
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

/** For a write, whatever is unclear may have been done. */
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

/** GitHub says everything in JSON with a message; a bare 404 or 403 is from something in between that knows nothing. */
function verdictOf({ status }: Reply, said: string | undefined, question: Question): Verdict {
  const verdict = byStatus[status];
  if (verdict === undefined) return unclear(status, question);
  return said === undefined && verdict[0] !== 'unavailable' ? ['unavailable', 'GitHubUnavailable'] : verdict;
}

/** Only the sentence that is meant for people: an answer may hold anything. */
function saidIn(body: unknown): string | undefined {
  if (typeof body !== 'object' || body === null || !('message' in body)) return undefined;
  if (typeof body.message !== 'string') return undefined;
  return withoutSecrets(body.message.replaceAll(/\p{C}/gu, ' ').slice(0, textMax));
}
