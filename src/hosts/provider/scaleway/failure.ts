/**
 * Classifies an answer of the API, or a missing answer, as one of the five kinds of failure. Only this file knows the
 * codes of the API.
 *
 * Both the status and the type in the body count, because each may come without the other: the refusal of the billing
 * floor may be a typed body or a bare 412. An unknown failure is `unavailable`: it is retried, and is neither a
 * success nor permission to destroy anything.
 */
import type { ProviderReason } from '../../../api/conditions/reasons.ts';
import type { FailureKind, FleetError } from '../../../platform/errors/fleet-error.ts';
import { providerFailure } from '../provider-failure.ts';
import type { Lost, Question, Reply } from './reply.ts';
import { retryAtOf } from './retry-after.ts';

type Verdict = readonly [FailureKind, ProviderReason];

const textMax = 300;
/** An estimate: a wipe takes a quarter of an hour, a reboot some minutes. */
const transientWaitMs = 60_000;
/** An estimate for a billing floor without an end time. */
const floorWaitMs = 3_600_000;

const byType: Readonly<Record<string, Verdict>> = {
  transient_state: ['notYet', 'TransientState'],
  locked: ['notYet', 'Locked'],
  too_many_requests: ['unavailable', 'RateLimited'],
  denied_authentication: ['unavailable', 'Unauthenticated'],
  permissions_denied: ['rejected', 'PermissionDenied'],
  quotas_exceeded: ['rejected', 'QuotaExceeded'],
  out_of_stock: ['unavailable', 'OutOfStock'],
  already_exists: ['conflict', 'AlreadyExists'],
  invalid_arguments: ['rejected', 'InvalidArguments'],
  invalid_request_error: ['rejected', 'InvalidArguments'],
};

const byStatus: Readonly<Record<number, Verdict>> = {
  400: ['rejected', 'InvalidArguments'],
  401: ['unavailable', 'Unauthenticated'],
  403: ['rejected', 'PermissionDenied'],
  405: ['rejected', 'InvalidArguments'],
  409: ['conflict', 'Conflict'],
  413: ['rejected', 'InvalidArguments'],
  415: ['rejected', 'InvalidArguments'],
  422: ['rejected', 'InvalidArguments'],
  423: ['notYet', 'Locked'],
  429: ['unavailable', 'RateLimited'],
};

const notFoundTypes = new Set<unknown>(['not_found', 'unknown_resource', 'expired', 'resource_expired']);
/** The parents of a server. If one is missing, nothing is known about the server. */
const surroundings = new Set<unknown>(['zone', 'project', 'organization']);
const notFoundStatuses = new Set([404, 410]);
const answeredErrors = new Set([500, 503]);

export function failureOf(reply: Reply, question: Question, now: number): FleetError {
  const fields = fieldsOf(reply.body);
  const [kind, reason] = verdictOf(reply, fields, question);
  const retryAt = retryAtOf(reply, now) ?? guessedRetryAt(reason, fields, now);
  const said = saidIn(fields);
  const message = `${question.doing}: ${reply.status}${said === '' ? '' : ` ${said}`}`;
  return providerFailure(kind, { reason, message }, retryAt === undefined ? {} : { retryAt });
}

export function lostFailure(lost: Lost, question: Question, cause?: unknown): FleetError {
  const reasons: Readonly<Record<Lost['certainty'], ProviderReason>> = {
    unsent: 'Unreachable',
    unknown: question.isWrite ? 'OutcomeUnknown' : 'ProviderUnavailable',
    unreadable: question.isWrite ? 'OutcomeUnknown' : 'UnreadableReply',
  };
  const message = `${question.doing}: ${lost.why}`;
  return providerFailure('unavailable', { reason: reasons[lost.certainty], message }, { cause });
}

function verdictOf(reply: Reply, fields: Fields, question: Question): Verdict {
  const { status } = reply;
  if (status < 400 || status >= 500) return unclear(status, fields, question);
  if (isPrecondition(reply, fields))
    return ['notYet', question.isDelete === true ? 'BillingFloor' : 'PreconditionFailed'];
  if (notFoundTypes.has(fields['type'])) return notFound(fields, question);
  if (refusesImage(fields, question)) return ['rejected', 'OSNotPublished'];
  return typedVerdict(fields) ?? statusVerdict(status, question);
}

function typedVerdict({ type }: Fields): Verdict | undefined {
  return typeof type === 'string' && Object.hasOwn(byType, type) ? byType[type] : undefined;
}

function statusVerdict(status: number, question: Question): Verdict {
  // An untyped answer comes from a proxy, which knows nothing about servers.
  if (notFoundStatuses.has(status)) return ['unavailable', 'NotFound'];
  return byStatus[status] ?? ['unavailable', question.isWrite ? 'OutcomeUnknown' : 'ProviderUnavailable'];
}

/** A server error may follow a completed write, or come from a proxy, so its resource fields are not used. */
function unclear(status: number, { type }: Fields, { isWrite }: Question): Verdict {
  if (status >= 300 && status < 400) return ['unavailable', 'RedirectRefused'];
  if (type === 'out_of_stock') return ['unavailable', 'OutOfStock'];
  // No late copy of an answered request can arrive. A gateway (502, 504) may have given up on a request that goes on.
  if (isWrite) return ['unavailable', answeredErrors.has(status) ? 'ServerError' : 'OutcomeUnknown'];
  return ['unavailable', status < 300 ? 'UnreadableReply' : 'ProviderUnavailable'];
}

/** Seen as a typed 412, as a bare 412, and under other statuses with the word in the text. */
function isPrecondition({ status, body }: Reply, fields: Fields): boolean {
  // mutation: bare-412-is-billing-floor
  if (status === 412 || fields['type'] === 'precondition_failed') return true;
  const text = typeof body === 'string' ? body : saidIn(fields);
  return (status === 400 || status === 409) && /precondition/i.test(text);
}

/** Taking a missing image for a missing server would mark an existing host as gone. */
function notFound(fields: Fields, { target, namesImage }: Question): Verdict {
  if (target === 'many' || surroundings.has(fields['resource'])) return ['unavailable', 'NotFound'];
  return namesImage === true && isImage(fields['resource'])
    ? ['rejected', 'OSNotPublished']
    : ['gone', 'NotFound'];
}

function isImage(resource: unknown): boolean {
  return typeof resource === 'string' && /(^|_)(os|image)$/i.test(resource);
}

function refusesImage(fields: Fields, { namesImage }: Question): boolean {
  const { details } = fields;
  if (namesImage !== true || !Array.isArray(details)) return false;
  return details.some((detail) => fieldsOf(detail)['argument_name'] === 'os_id');
}

function guessedRetryAt(reason: ProviderReason, fields: Fields, now: number): number | undefined {
  if (reason === 'TransientState' || reason === 'Locked') return now + transientWaitMs;
  if (reason !== 'BillingFloor') return undefined;
  const [reported = ''] = /\d{4}-\d\d-\d\dT[\d:.]+(Z|[+-]\d\d:\d\d)/.exec(saidIn(fields)) ?? [];
  const endsAt = Date.parse(reported);
  return endsAt > now ? endsAt : now + floorWaitMs;
}

type Fields = Readonly<Record<string, unknown>>;

function fieldsOf(body: unknown): Fields {
  return typeof body === 'object' && body !== null && !Array.isArray(body) ? { ...body } : {};
}

/** Only the fields meant for people: an answer may contain anything, even the passwords of a server. */
function saidIn(fields: Fields): string {
  const parts = ['message', 'precondition', 'help_message', 'resource', 'current_state']
    .map((name) => fields[name])
    .filter((part) => typeof part === 'string' && part !== '');
  return parts.join('; ').replaceAll(/\p{C}/gu, ' ').slice(0, textMax);
}
