/** Refusals and failures in the known and possible forms. */
import { html, id, server, type BadReply } from './bad-reply.ts';

const floor = { type: 'precondition_failed', message: 'precondition failed' };

const refusals: readonly BadReply[] = [
  {
    says: 'the billing floor, with details',
    call: 'delete',
    replies: [
      {
        status: 412,
        body: {
          ...floor,
          precondition: 'lease',
          help_message: 'cannot be deleted before 2026-01-01T05:00:00Z',
        },
      },
    ],
    fails: ['notYet', 'BillingFloor'],
    retryInMs: 5 * 3_600_000,
  },
  {
    says: 'the billing floor, without details',
    call: 'delete',
    replies: [{ status: 412, body: floor }],
    fails: ['notYet', 'BillingFloor'],
    retryInMs: 3_600_000,
  },
  {
    says: 'the billing floor, as bare text',
    call: 'delete',
    replies: [{ status: 412, headers: { 'content-type': 'text/plain' }, body: 'no' }],
    fails: ['notYet', 'BillingFloor'],
    retryInMs: 3_600_000,
  },
  {
    says: 'the billing floor, as 400 with the word in it',
    call: 'delete',
    replies: [{ status: 400, body: { message: 'Precondition failed: lease' } }],
    fails: ['notYet', 'BillingFloor'],
    retryInMs: 3_600_000,
  },
  {
    says: 'the billing floor, as 409',
    call: 'delete',
    replies: [{ status: 409, body: floor }],
    fails: ['notYet', 'BillingFloor'],
    retryInMs: 3_600_000,
  },
  {
    says: '412 to anything else',
    call: 'rename',
    replies: [{ status: 412, body: floor }],
    fails: ['notYet', 'PreconditionFailed'],
  },
  {
    says: 'during a transient state',
    call: 'reboot',
    replies: [
      { status: 409, body: { type: 'transient_state', resource: 'server', current_state: 'reinstalling' } },
    ],
    fails: ['notYet', 'TransientState'],
    retryInMs: 60_000,
  },
  {
    says: '409 without a type',
    call: 'rename',
    replies: [{ status: 409, body: 'conflict' }],
    fails: ['conflict', 'Conflict'],
  },
  {
    says: 'a name in use',
    call: 'registerKey',
    replies: [{ status: 409, body: { type: 'already_exists' } }],
    fails: ['conflict', 'AlreadyExists'],
  },
  {
    says: '404 with a type',
    call: 'get',
    replies: [{ status: 404, body: { type: 'not_found', resource: 'server', resource_id: id } }],
    fails: ['gone', 'NotFound'],
  },
  {
    says: '404 as bare text',
    call: 'delete',
    replies: [{ status: 404, headers: { 'content-type': 'text/plain' }, body: 'not found' }],
    fails: ['unavailable', 'NotFound'],
  },
  {
    says: '404 as an HTML page',
    call: 'get',
    replies: [{ status: 404, ...html }],
    fails: ['unavailable', 'NotFound'],
  },
  {
    says: '404 of the project of the server',
    call: 'get',
    replies: [{ status: 404, body: { type: 'not_found', resource: 'project', resource_id: id } }],
    fails: ['unavailable', 'NotFound'],
  },
  {
    says: '404 to a listing',
    call: 'list',
    replies: [{ status: 404, body: { type: 'not_found', resource: 'zone' } }],
    fails: ['unavailable', 'NotFound'],
  },
  {
    says: 'an older shape of 404',
    call: 'get',
    replies: [{ status: 404, body: { type: 'unknown_resource', message: 'gone' } }],
    fails: ['gone', 'NotFound'],
  },
  { says: '410', call: 'get', replies: [{ status: 410, body: {} }], fails: ['unavailable', 'NotFound'] },
  {
    says: 'an image that is not found',
    call: 'reinstall',
    replies: [{ status: 404, body: { type: 'not_found', resource: 'os', resource_id: 'x' } }],
    fails: ['rejected', 'OSNotPublished'],
  },
  {
    says: 'an invalid image',
    call: 'reinstall',
    replies: [{ status: 400, body: { type: 'invalid_arguments', details: [{ argument_name: 'os_id' }] } }],
    fails: ['rejected', 'OSNotPublished'],
  },
  {
    says: 'a server that is not found, while it names an image',
    call: 'reinstall',
    replies: [{ status: 404, body: { type: 'not_found', resource: 'server' } }],
    fails: ['gone', 'NotFound'],
  },
  {
    says: '400',
    call: 'rename',
    replies: [{ status: 400, body: { type: 'invalid_arguments' } }],
    fails: ['rejected', 'InvalidArguments'],
  },
  {
    says: '401',
    call: 'get',
    replies: [{ status: 401, body: { type: 'denied_authentication' } }],
    fails: ['unavailable', 'Unauthenticated'],
  },
  {
    says: '403 to a listing',
    call: 'list',
    replies: [{ status: 403, body: { type: 'permissions_denied' } }],
    fails: ['rejected', 'PermissionDenied'],
  },
  {
    says: 'a quota',
    call: 'registerKey',
    replies: [{ status: 403, body: { type: 'quotas_exceeded' } }],
    fails: ['rejected', 'QuotaExceeded'],
  },
  {
    says: 'locked',
    call: 'reboot',
    replies: [{ status: 423, body: { type: 'locked' } }],
    fails: ['notYet', 'Locked'],
    retryInMs: 60_000,
  },
  {
    says: 'locked, without a type',
    call: 'reboot',
    replies: [{ status: 423, body: '' }],
    fails: ['notYet', 'Locked'],
    retryInMs: 60_000,
  },
  {
    says: 'an unknown status code',
    call: 'get',
    replies: [{ status: 418, body: 'teapot' }],
    fails: ['unavailable', 'ProviderUnavailable'],
  },
  {
    says: 'an unknown status code, to a write',
    call: 'rename',
    replies: [{ status: 418, body: 'teapot' }],
    fails: ['unavailable', 'OutcomeUnknown'],
  },
  {
    says: 'a type that is a property of every object',
    call: 'get',
    replies: [{ status: 400, body: { type: 'constructor' } }],
    fails: ['rejected', 'InvalidArguments'],
  },
];

function limited(says: string, headers: Readonly<Record<string, string>>, retryInMs?: number): BadReply {
  const replies = [{ status: 429, headers, body: { type: 'too_many_requests' } }];
  const reported = {
    says: `429 ${says}`,
    call: 'get',
    replies,
    fails: ['unavailable', 'RateLimited'],
  } as const;
  return retryInMs === undefined ? reported : { ...reported, retryInMs };
}

const limits: readonly BadReply[] = [
  limited('without a time', {}),
  limited('with seconds', { 'retry-after': '30' }, 30_000),
  limited('with a thousand million seconds', { 'retry-after': '1000000000' }, 600_000),
  limited('with a negative number', { 'retry-after': '-5' }),
  limited('with a word', { 'retry-after': 'later' }),
  limited(
    'with a date',
    { 'retry-after': 'Thu, 01 Jan 2026 00:02:00 GMT', date: 'Thu, 01 Jan 2026 00:00:00 GMT' },
    120_000,
  ),
  limited(
    'with a date, by a clock that is hours wrong',
    { 'retry-after': 'Thu, 01 Jan 2026 09:02:00 GMT', date: 'Thu, 01 Jan 2026 09:00:00 GMT' },
    120_000,
  ),
  limited(
    'with a past date',
    { 'retry-after': 'Thu, 01 Jan 2015 00:00:00 GMT', date: 'Thu, 01 Jan 2026 00:00:00 GMT' },
    0,
  ),
  {
    says: '429 without a type',
    call: 'rename',
    replies: [{ status: 429, headers: { 'retry-after': '1' }, body: 'slow down' }],
    fails: ['unavailable', 'RateLimited'],
    retryInMs: 1000,
  },
  {
    says: '503 with a time to retry',
    call: 'get',
    replies: [{ status: 503, headers: { 'retry-after': '9' } }],
    fails: ['unavailable', 'ProviderUnavailable'],
    retryInMs: 9000,
  },
];

const failures: readonly BadReply[] = [
  {
    says: '500',
    call: 'get',
    replies: [{ status: 500, body: { message: 'x' } }],
    fails: ['unavailable', 'ProviderUnavailable'],
  },
  {
    says: '500 to a write',
    call: 'delete',
    replies: [{ status: 500, body: { message: 'x' } }],
    fails: ['unavailable', 'ServerError'],
  },
  {
    says: '502 as an HTML page',
    call: 'list',
    replies: [{ status: 502, ...html }],
    fails: ['unavailable', 'ProviderUnavailable'],
  },
  {
    says: '502 with a not-found text',
    call: 'get',
    replies: [{ status: 502, body: { type: 'not_found', resource: 'upstream' } }],
    fails: ['unavailable', 'ProviderUnavailable'],
  },
  {
    says: '500 with a server in it',
    call: 'get',
    replies: [{ status: 500, body: server({ sudo_password: 'hush' }) }],
    fails: ['unavailable', 'ProviderUnavailable'],
  },
  {
    says: '504 to a write',
    call: 'schedule',
    replies: [{ status: 504, ...html }],
    fails: ['unavailable', 'OutcomeUnknown'],
  },
  {
    says: 'none left',
    call: 'reinstall',
    replies: [{ status: 503, body: { type: 'out_of_stock' } }],
    fails: ['unavailable', 'OutOfStock'],
  },
  { says: '304', call: 'get', replies: [{ status: 304 }], fails: ['unavailable', 'RedirectRefused'] },
];

export const badRefusals: readonly BadReply[] = [...refusals, ...limits, ...failures];
