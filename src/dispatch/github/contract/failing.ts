/** Cases about what goes wrong on the way: which kind of failure it is, and what it must not tell. */
import { inspect } from 'node:util';
import { expect } from 'vitest';
import { failureOf, kindOf, orderFor, type ContractCase } from './run-contract.ts';
import type { Mishap, Stage } from './stage.ts';

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
  ['a page that says 404, from something in between', error(404, page, html), 'unavailable'],
  ['a page that says 403, from something in between', error(403, page, html), 'unavailable'],
  ['403 with a time to wait', error(403, { message: 'x' }, { 'retry-after': '7' }), 'notYet'],
  ['an answer without what was asked for', error(200, { id: 1 }), 'unavailable'],
  ['an answer that is cut off', error(200, '{"id": 12'), 'unavailable'],
  ['a connection that breaks', { kind: 'refused' }, 'unavailable'],
];

async function meets(stage: Stage, mishap: Mishap, kind: string): Promise<void> {
  const id = stage.queueJob(stage.tenant, []);
  stage.next(mishap, 'get job');
  expect(await kindOf(stage.github.job(stage.tenant, id))).toBe(kind);
}

const statusCases = byStatus.map(([what, mishap, kind]): ContractCase => ({
  rule: `${what} is ${kind}`,
  proves: (stage) => meets(stage, mishap, kind),
}));

const limits = ['primary', 'secondary', 'too-many'] as const;

async function rests(stage: Stage, form: (typeof limits)[number]): Promise<void> {
  const { github, tenant } = stage;
  const id = stage.queueJob(tenant, []);
  await github.job(tenant, id);
  stage.throttle(60_000, form);
  const until = stage.now() + 60_000;
  const told = { kind: 'notYet', retryAt: until };
  expect(await failureOf(github.job(tenant, id))).toMatchObject(told);
  const asked = stage.requests();
  expect(await failureOf(github.register(orderFor(tenant)))).toMatchObject(told);
  expect(stage.requests()).toBe(asked);
  await stage.pass(60_000);
  expect(await kindOf(github.register(orderFor(tenant)))).toBe('it did not fail');
}

const limitCases = limits.map((form): ContractCase => ({
  rule: `under the ${form} limit nothing is asked for the installation until GitHub wants it again`,
  proves: (stage) => rests(stage, form),
}));

export const failingCases: readonly ContractCase[] = [
  ...statusCases,
  ...limitCases,
  {
    rule: 'a request ends at its deadline, though the answer may come later',
    proves: async (stage) => {
      stage.next({ kind: 'late', ms: 600_000 }, 'register runner');
      const failure = failureOf(stage.github.register(orderFor(stage.tenant)));
      await stage.requestWaiting();
      await stage.pass(30_000);
      expect(await failure).toMatchObject({ kind: 'unavailable', reason: 'OutcomeUnknown' });
    },
  },
  {
    rule: 'a redirect is not followed, wherever it leads',
    proves: async (stage) => {
      const id = stage.queueJob(stage.tenant, []);
      const location = `/repos/${stage.tenant.repository}/actions/jobs/${id}`;
      stage.next(error(301, { message: 'Moved' }, { location }), 'get job');
      expect(await failureOf(stage.github.job(stage.tenant, id))).toMatchObject({
        kind: 'unavailable',
        reason: 'RedirectRefused',
      });
    },
  },
  {
    rule: 'a token that was taken back is replaced, once',
    proves: async (stage) => {
      const { github, tenant } = stage;
      const id = stage.queueJob(tenant, []);
      await github.job(tenant, id);
      const before = stage.requests();
      await github.job(tenant, id);
      expect(stage.requests() - before).toBe(1);
      stage.revokeTokens();
      expect((await github.job(tenant, id)).status).toBe('queued');
      expect(stage.requests() - before).toBe(4);
    },
  },
  {
    rule: 'a token is replaced before it ends, and many requests at once ask for one',
    proves: async (stage) => {
      const { github, tenant } = stage;
      const id = stage.queueJob(tenant, []);
      await Promise.all([1, 2, 3].map(() => github.job(tenant, id)));
      expect(stage.requests()).toBe(4);
      await stage.pass(56 * 60_000);
      await Promise.all([1, 2, 3].map(() => github.job(tenant, id)));
      expect(stage.requests()).toBe(8);
    },
  },
  {
    rule: 'no token could be had: that is the failure, and the next request tries again',
    proves: async (stage) => {
      const { github, tenant } = stage;
      const id = stage.queueJob(tenant, []);
      stage.next(error(500), 'create token');
      expect(await kindOf(github.job(tenant, id))).toBe('unavailable');
      expect(await kindOf(github.job(tenant, id))).toBe('it did not fail');
    },
  },
  {
    rule: 'a failure tells nothing that looks like a secret, and of an answer only its message',
    proves: async (stage) => {
      const id = stage.queueJob(stage.tenant, []);
      const token = 'ghs_0123456789abcdefghijABCDEFGHIJ';
      stage.next(error(500, { message: `no: Authorization: token ${token}`, also: 'hush' }), 'get job');
      const failure = inspect(await failureOf(stage.github.job(stage.tenant, id)), { depth: 9 });
      expect(failure).toContain(`look at job ${id}`);
      expect(failure).not.toMatch(/ghs_|hush|ey[JK]|BEGIN/);
      stage.next(error(201, { encoded_jit_config: ['hush'], runner: {} }), 'register runner');
      const other = inspect(await failureOf(stage.github.register(orderFor(stage.tenant))), { depth: 9 });
      expect(other).toContain('encoded_jit_config');
      expect(other).not.toMatch(/ghs_|hush|ey[JK]|BEGIN/);
    },
  },
];
