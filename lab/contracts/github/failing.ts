/** Cases about failures in transit: the kind of each failure, and the secrets that an error must not contain. */
import { inspect } from 'node:util';
import { expect } from 'vitest';
import { failureOf, kindOf, orderFor, type ContractCase } from './run-contract.ts';
import type { Mishap, Fixture } from './harness.ts';

function error(status: number, body: unknown = { message: 'x' }, headers = {}): Mishap {
  return { kind: 'error', status, body, headers };
}

const html = { 'content-type': 'text/html' };
const page = '<html>not found</html>';

const byStatus: readonly (readonly [what: string, mishap: Mishap, kind: string])[] = [
  ['400', error(400), 'rejected'],
  ['403', error(403), 'rejected'],
  ['404', error(404), 'gone'],
  ['408', error(408), 'unavailable'],
  ['409', error(409), 'conflict'],
  ['410', error(410), 'gone'],
  ['418', error(418), 'unavailable'],
  ['422', error(422), 'rejected'],
  ['429', error(429), 'notYet'],
  ['500', error(500), 'unavailable'],
  ['502', error(502, page, html), 'unavailable'],
  ['503', error(503), 'unavailable'],
  ['a 404 page of an intermediary', error(404, page, html), 'unavailable'],
  ['a 403 page of an intermediary', error(403, page, html), 'unavailable'],
  ['403 with a time to wait', error(403, { message: 'x' }, { 'retry-after': '7' }), 'notYet'],
  ['an answer without the requested object', error(200, { id: 1 }), 'unavailable'],
  ['an answer that is cut off', error(200, '{"id": 12'), 'unavailable'],
  ['a connection that breaks', { kind: 'refused' }, 'unavailable'],
];

async function meets(fixture: Fixture, mishap: Mishap, kind: string): Promise<void> {
  const id = fixture.queueJob(fixture.tenant, []);
  fixture.next(mishap, 'get job');
  expect(await kindOf(fixture.github.job(fixture.tenant, id))).toBe(kind);
}

const statusCases = byStatus.map(([what, mishap, kind]): ContractCase => ({
  rule: `${what} is ${kind}`,
  proves: (fixture) => meets(fixture, mishap, kind),
}));

const limits = ['primary', 'secondary', 'too-many'] as const;

async function rests(fixture: Fixture, form: (typeof limits)[number]): Promise<void> {
  const { github, tenant } = fixture;
  const id = fixture.queueJob(tenant, []);
  await github.job(tenant, id);
  fixture.throttle(60_000, form);
  const until = fixture.now() + 60_000;
  const reported = { kind: 'notYet', retryAt: until };
  expect(await failureOf(github.job(tenant, id))).toMatchObject(reported);
  const asked = fixture.requests();
  expect(await failureOf(github.register(orderFor(tenant)))).toMatchObject(reported);
  expect(fixture.requests()).toBe(asked);
  await fixture.pass(60_000);
  expect(await kindOf(github.register(orderFor(tenant)))).toBe('the call did not fail');
}

const limitCases = limits.map((form): ContractCase => ({
  rule: `under the ${form} limit the installation sends no request until GitHub allows it again`,
  proves: (fixture) => rests(fixture, form),
}));

export const failingCases: readonly ContractCase[] = [
  ...statusCases,
  ...limitCases,
  {
    rule: 'a request ends at its deadline, though the answer may come later',
    proves: async (fixture) => {
      fixture.next({ kind: 'late', ms: 600_000 }, 'register runner');
      const failure = failureOf(fixture.github.register(orderFor(fixture.tenant)));
      await fixture.requestWaiting();
      await fixture.pass(30_000);
      expect(await failure).toMatchObject({ kind: 'unavailable', reason: 'OutcomeUnknown' });
    },
  },
  {
    rule: 'no redirect is followed',
    proves: async (fixture) => {
      const id = fixture.queueJob(fixture.tenant, []);
      const location = `/repos/${fixture.tenant.repository}/actions/jobs/${id}`;
      fixture.next(error(301, { message: 'Moved' }, { location }), 'get job');
      expect(await failureOf(fixture.github.job(fixture.tenant, id))).toMatchObject({
        kind: 'unavailable',
        reason: 'RedirectRefused',
      });
    },
  },
  {
    rule: 'a revoked token is replaced, once',
    proves: async (fixture) => {
      const { github, tenant } = fixture;
      const id = fixture.queueJob(tenant, []);
      await github.job(tenant, id);
      const before = fixture.requests();
      await github.job(tenant, id);
      expect(fixture.requests() - before).toBe(1);
      fixture.revokeTokens();
      expect((await github.job(tenant, id)).status).toBe('queued');
      expect(fixture.requests() - before).toBe(4);
    },
  },
  {
    rule: 'a token is replaced before it expires, once for many parallel requests',
    proves: async (fixture) => {
      const { github, tenant } = fixture;
      const id = fixture.queueJob(tenant, []);
      await Promise.all([1, 2, 3].map(() => github.job(tenant, id)));
      expect(fixture.requests()).toBe(4);
      await fixture.pass(56 * 60_000);
      await Promise.all([1, 2, 3].map(() => github.job(tenant, id)));
      expect(fixture.requests()).toBe(8);
    },
  },
  {
    rule: 'a failure to get a token is the failure of the request, and the next request tries again',
    proves: async (fixture) => {
      const { github, tenant } = fixture;
      const id = fixture.queueJob(tenant, []);
      fixture.next(error(500), 'create token');
      expect(await kindOf(github.job(tenant, id))).toBe('unavailable');
      expect(await kindOf(github.job(tenant, id))).toBe('the call did not fail');
    },
  },
  {
    rule: 'an error contains nothing that looks like a secret, and of an answer only its message',
    proves: async (fixture) => {
      const id = fixture.queueJob(fixture.tenant, []);
      const token = 'ghs_0123456789abcdefghijABCDEFGHIJ';
      fixture.next(error(500, { message: `no: Authorization: token ${token}`, also: 'hush' }), 'get job');
      const failure = inspect(await failureOf(fixture.github.job(fixture.tenant, id)), { depth: 9 });
      expect(failure).toContain(`read job ${id}`);
      expect(failure).not.toMatch(/ghs_|hush|ey[JK]|BEGIN/);
      fixture.next(error(201, { encoded_jit_config: ['hush'], runner: {} }), 'register runner');
      const other = inspect(await failureOf(fixture.github.register(orderFor(fixture.tenant))), { depth: 9 });
      expect(other).toContain('encoded_jit_config');
      expect(other).not.toMatch(/ghs_|hush|ey[JK]|BEGIN/);
    },
  },
];
