/** What a caller sees of each fault, and the stored state afterwards. */
import { ownIdentity as identity } from '../auth/identity.ts';
import { expect, it } from 'vitest';
import { describeDeed } from './faults.ts';
import {
  bodyOf,
  configMaps,
  FaultHarness,
  namesIn,
  revisionOf,
} from '../../../../lab/contracts/kubernetes-api/faults/harness.ts';

const onCreate = { match: { verbs: ['create'] } };

it('changes nothing without a matching rule', async () => {
  const harness = new FaultHarness({
    rules: [{ match: { resources: ['pods'] }, fault: { kind: 'reply-lost' } }],
  });
  expect(await harness.create('a')).toMatchObject({ status: 201 });
  expect([harness.names, harness.kinds]).toEqual([['a'], []]);
});

it.for([
  ['InternalError', 500],
  ['ServiceUnavailable', 503],
  ['TooManyRequests', 429],
  ['Conflict', 409],
  ['Timeout', 504],
  ['Expired', 410],
  ['Forbidden', 403],
  ['Unauthorized', 401],
] as const)('fail with %s answers %i, and nothing was done', async ([reason, status]) => {
  const fault = { kind: 'error', reason, retryAfterSeconds: 7 };
  const harness = new FaultHarness({ rules: [{ ...onCreate, fault }] });
  expect(await harness.create('a')).toMatchObject({
    status,
    body: { kind: 'Status', reason, code: status, details: { retryAfterSeconds: 7 } },
  });
  expect([harness.names.includes('a'), harness.kinds]).toEqual([false, ['0 error']]);
});

it.for(['refused', 'reset'] as const)(
  '%s: the connection breaks this way, and nothing was done',
  async (kind) => {
    const harness = new FaultHarness({ rules: [{ ...onCreate, fault: { kind } }] });
    expect(await harness.create('a')).toEqual({ broken: kind });
    expect(harness.names).not.toContain('a');
  },
);

it('reply-lost: the object is there and the caller does not know', async () => {
  const harness = new FaultHarness({
    rules: [{ ...onCreate, when: { nth: 1 }, fault: { kind: 'reply-lost' } }],
  });
  expect(await harness.create('a')).toEqual({ broken: 'reset' });
  expect(harness.names).toContain('a');
  expect(await harness.create('a')).toMatchObject({ status: 409, body: { reason: 'AlreadyExists' } });
});

it('late: the effect comes late, and so does the answer', async () => {
  const harness = new FaultHarness({ rules: [{ ...onCreate, fault: { kind: 'late', ms: 500 } }] });
  const reply = harness.create('a');
  harness.pass(499);
  expect(harness.names).not.toContain('a');
  harness.pass(1);
  await reply;
  expect(harness.names).toContain('a');
});

it('slow-reply: the effect comes at once, the answer late', async () => {
  const harness = new FaultHarness({
    rules: [{ ...onCreate, fault: { kind: 'slow-reply', ms: 500 } }],
  });
  const before = harness.clock.now();
  const reply = harness.create('a');
  expect(harness.names).toContain('a');
  expect([bodyOf(await reply)['kind'], harness.clock.now() - before]).toEqual(['ConfigMap', 500]);
});

it('faults combine: a late and lost reply', async () => {
  const rules = [
    { ...onCreate, fault: { kind: 'reply-lost' } },
    { ...onCreate, fault: { kind: 'slow-reply', ms: 100 } },
    { ...onCreate, fault: { kind: 'late', ms: 20 } },
  ];
  const harness = new FaultHarness({ rules });
  expect(await harness.create('a')).toEqual({ broken: 'reset' });
  expect(harness.kinds).toEqual(['0 late', '20 slow-reply', '120 reply-lost']);
});

it('a request that fails is not lost as well', async () => {
  const rules = [{ fault: { kind: 'reply-lost' } }, { fault: { kind: 'error', reason: 'Conflict' } }];
  const harness = new FaultHarness({ rules });
  expect(await harness.create('a')).toMatchObject({ status: 409 });
  expect(harness.kinds).toEqual(['0 error']);
});

it('stale-read: a list shows the old state with its old revision', async () => {
  const harness = new FaultHarness({ rules: [{ fault: { kind: 'stale-read', byRevisions: 2 } }] });
  for (const name of ['a', 'b', 'c']) harness.createReally(name);
  const really = harness.server.handle({ identity, method: 'GET', path: configMaps, query: {} });
  const stale = await harness.ask({});
  expect(namesIn(stale)).toEqual(['a']);
  expect(revisionOf(bodyOf(stale))).toBe(revisionOf(bodyOf(really)) - 2);
});

it('stale-read: a get returns a deleted object, and misses a new object', async () => {
  const harness = new FaultHarness({ rules: [{ fault: { kind: 'stale-read', byRevisions: 2 } }] });
  harness.createReally('gone');
  harness.server.handle({ identity, method: 'DELETE', path: `${configMaps}/gone`, query: {} });
  harness.createReally('new');
  expect(await harness.ask({ path: `${configMaps}/gone` })).toMatchObject({ status: 200 });
  expect(await harness.ask({ path: `${configMaps}/new` })).toMatchObject({ status: 404 });
});

it('stale-read is limited to the kept history', async () => {
  const fault = { kind: 'stale-read', byRevisions: 1_000_000 };
  const harness = new FaultHarness({ rules: [{ fault }] }, { historyMax: 2 });
  for (const name of ['a', 'b', 'c', 'd', 'e', 'f']) harness.createReally(name);
  expect([2, 3]).toContain(harness.names.length - namesIn(await harness.ask({})).length);
});

it('stale-read: a server that lags has not seen the newest revision', async () => {
  const harness = new FaultHarness({ rules: [{ fault: { kind: 'stale-read', byRevisions: 1 } }] });
  const resourceVersion = String(revisionOf(bodyOf(harness.createReally('a'))));
  expect(await harness.ask({ query: { resourceVersion } })).toMatchObject({ status: 504 });
});

it('stale-read does not affect reads with a revision: later pages, and exact lists', async () => {
  const fault = { kind: 'stale-read', byRevisions: 1 };
  const harness = new FaultHarness({ rules: [{ when: { fromMs: 1 }, fault }] });
  for (const name of ['a', 'b', 'c']) harness.createReally(name);
  const first = bodyOf(await harness.ask({ query: { limit: '1' } }));
  const { continue: token = '' } = { continue: '', ...Object(first['metadata']) };
  harness.pass(1);
  expect(namesIn(await harness.ask({ query: { continue: String(token) } }))).toEqual(['b', 'c']);
  const resourceVersion = String(revisionOf(first));
  const query = { resourceVersion, resourceVersionMatch: 'Exact' };
  expect(namesIn(await harness.ask({ query }))).toEqual(['a', 'b', 'c']);
  expect(harness.deeds).toEqual([]);
});

it('schema-change: the new schema applies from its time on', async () => {
  const schema = { type: 'object', properties: { spec: { type: 'object', required: ['size'] } } };
  const change = { kind: 'schema-change', atMs: 1000, definition: 'widgets.example.com', schema };
  const harness = new FaultHarness({
    situations: [change, { ...change, definition: 'nothing.example.com' }],
  });
  const definition = {
    metadata: { name: 'widgets.example.com' },
    spec: {
      group: 'example.com',
      scope: 'Cluster',
      names: { plural: 'widgets', singular: 'widget', kind: 'Widget', listKind: 'WidgetList' },
      versions: [
        { name: 'v1', served: true, storage: true, schema: { openAPIV3Schema: { type: 'object' } } },
      ],
    },
  };
  const path = '/apis/apiextensions.k8s.io/v1/customresourcedefinitions';
  expect(await harness.ask({ method: 'POST', path, body: definition })).toMatchObject({ status: 201 });
  harness.pass(1);
  const widget = (name: string) => ({
    method: 'POST' as const,
    path: '/apis/example.com/v1/widgets',
    body: { apiVersion: 'example.com/v1', kind: 'Widget', metadata: { name }, spec: {} },
  });
  expect(await harness.ask(widget('before'))).toMatchObject({ status: 201 });
  harness.pass(1000);
  expect(await harness.ask(widget('after'))).toMatchObject({ status: 422 });
  expect(harness.kinds).toEqual([
    '1000 schema-change done',
    '1000 schema-change there is no such definition',
  ]);
});

it('cancels scheduled work at close', () => {
  const change = { kind: 'schema-change', atMs: 1000, definition: 'widgets.example.com', schema: {} };
  const harness = new FaultHarness({ situations: [change] });
  harness.faulty.close();
  harness.pass(2000);
  expect(harness.deeds).toEqual([]);
});

it('what was done reads as one line, whatever a client calls itself', async () => {
  const harness = new FaultHarness({ rules: [{ ...onCreate, fault: { kind: 'late', ms: 5 } }] });
  await harness.ask({ method: 'POST', body: { metadata: { name: 'a' } }, userAgent: 'kubectl/v1\nfault: b' });
  expect(harness.deeds.map(describeDeed)).toEqual([
    'late ms=5 on create configmaps default/a by kubectl/v1?fault: b',
  ]);
});
