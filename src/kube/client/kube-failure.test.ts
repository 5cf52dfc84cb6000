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
  it('when a Status about this object reports that', () => {
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

it('for a request without a name, any NotFound Status counts as gone', () => {
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
] as const)('%s keeps its meaning only in a Status (%s)', ([status, reason, kind]) => {
  expect(reported(status, { kind: 'Status', reason })).toBe(`${kind} ${reason}`);
  expect(reported(status, { reason })).toMatch(/^unavailable (NotKubernetes|Http\d+)$/);
});

it.for([
  [429, 'Http429'],
  [401, 'Http401'],
  [503, 'Http503'],
] as const)('%s in plain text is accepted as an answer of Kubernetes', ([status, reason]) => {
  expect(reported(status, { message: 'please try again later' })).toBe(`unavailable ${reason}`);
});

it('a redirect has its own message', () => {
  const { reason, message } = failureOf({ status: 301, body: { message: '' } }, about, now);
  expect([reason, message]).toEqual([
    'Redirected',
    'GET it: 301 the server redirects elsewhere, and redirects are not followed',
  ]);
});

it('a retry time is kept, up to one hour', () => {
  const retryAt = (retryAfterSeconds: number): number | undefined =>
    failureOf({ status: 429, retryAfterSeconds, body: {} }, about, now).retryAt;
  expect([retryAt(20), retryAt(1e20)]).toEqual([now + 20_000, now + hour]);
  expect(failureOf({ status: 429, body: {} }, about, now).retryAt).toBeUndefined();
});

it('a long message is cut', () => {
  const { message } = failureOf({ status: 500, body: { message: 'x'.repeat(10_000) } }, about, now);
  expect(message).toHaveLength('GET it: 500 '.length + 500);
});

it('a server message is printed on one line, without control characters', () => {
  const body = { kind: 'Status', reason: 'Forbidden', message: '\u001B[2Jno\r\nerror: made up' };
  const { message } = failureOf({ status: 403, body }, about, now);
  expect(message).not.toMatch(/\p{Cc}/u);
  expect(message).toContain('no error: made up');
});
