import { describe, expect, it } from 'vitest';
import { configMaps } from './builtin-resources.ts';
import { failureOf, type Question } from './kube-failure.ts';

const now = Date.UTC(2026, 0, 1);
const hour = 3_600_000;
const about: Question = { doing: 'GET it', resource: configMaps, name: 'a' };
const missing = { kind: 'Status', reason: 'NotFound', details: { name: 'a', kind: 'configmaps' } };

function reported(status: number, body: unknown, question: Question = about): string {
  const { kind, reason } = failureOf({ status, body }, question, now);
  return `${kind} ${reason}`;
}

describe('an object is gone', () => {
  it('when a Status about this very object says so', () => {
    expect(reported(404, missing)).toBe('gone NotFound');
  });

  it.for([
    ['a page of a proxy', { message: '<html>default backend - 404</html>' }, 'NotKubernetes'],
    ['JSON of something else', { error: 'no route' }, 'NotKubernetes'],
    ['JSON that only looks like it', { ...missing, kind: undefined }, 'NotKubernetes'],
    ['nothing', null, 'NotKubernetes'],
    ['a Status without a reason', { ...missing, reason: '' }, 'Http404'],
    ['a Status about another object', { ...missing, details: { name: 'b', kind: 'configmaps' } }, 'NotFound'],
    ['a Status about its namespace', { ...missing, details: { name: 'a', kind: 'namespaces' } }, 'NotFound'],
    ['a Status about no object', { ...missing, details: {} }, 'NotFound'],
  ] as const)('but not because of %s', ([, body, reason]) => {
    expect(reported(404, body)).toBe(`unavailable ${reason}`);
  });
});

it('what was not about one object is gone by any Status that says so', () => {
  const inNamespace = { doing: 'POST it', resource: configMaps };
  expect(reported(404, { ...missing, details: { name: 'n', kind: 'namespaces' } }, inNamespace)).toBe(
    'gone NotFound',
  );
});

it.for([
  [400, 'BadRequest', 'rejected'],
  [401, 'Unauthorized', 'unavailable'],
  [403, 'Forbidden', 'rejected'],
  [409, 'Conflict', 'conflict'],
  [410, 'Expired', 'conflict'],
  [422, 'Invalid', 'rejected'],
  [429, 'TooManyRequests', 'unavailable'],
  [500, 'InternalError', 'unavailable'],
] as const)('%s counts for what it means only in a Status (%s)', ([status, reason, kind]) => {
  expect(reported(status, { kind: 'Status', reason })).toBe(`${kind} ${reason}`);
  expect(reported(status, { reason })).toMatch(/^unavailable (NotKubernetes|Http\d+)$/);
});

it.for([
  [429, 'Http429'],
  [401, 'Http401'],
  [503, 'Http503'],
] as const)('%s in plain text is no proof of a stranger', ([status, reason]) => {
  expect(reported(status, { message: 'please try again later' })).toBe(`unavailable ${reason}`);
});

it('a redirect is told as one', () => {
  const { reason, message } = failureOf({ status: 301, body: { message: '' } }, about, now);
  expect([reason, message]).toEqual([
    'Redirected',
    'GET it: 301 the server redirects to another place, which is not followed',
  ]);
});

it('a time to come back is kept, but none that is further away than an hour', () => {
  const retryAt = (retryAfterSeconds: number): number | undefined =>
    failureOf({ status: 429, retryAfterSeconds, body: {} }, about, now).retryAt;
  expect([retryAt(20), retryAt(1e20)]).toEqual([now + 20_000, now + hour]);
  expect(failureOf({ status: 429, body: {} }, about, now).retryAt).toBeUndefined();
});

it('a long message is cut', () => {
  const { message } = failureOf({ status: 500, body: { message: 'x'.repeat(10_000) } }, about, now);
  expect(message).toHaveLength('GET it: 500 '.length + 500);
});

it('what a server says is told on one line, and cannot clear a screen or forge a line', () => {
  const body = { kind: 'Status', reason: 'Forbidden', message: '\u001B[2Jno\r\nerror: made up' };
  const { message } = failureOf({ status: 403, body }, about, now);
  expect(message).not.toMatch(/\p{Cc}/u);
  expect(message).toContain('no error: made up');
});
