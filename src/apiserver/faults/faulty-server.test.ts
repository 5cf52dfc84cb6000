/** What a caller sees of each fault, and what is really there afterwards. */
import { ownIdentity as identity } from '../auth/identity.ts';
import { expect, it } from 'vitest';
import { describeDeed } from './faults.ts';
import { bodyOf, configMaps, FaultStand, namesIn, revisionOf } from './contract/stand.ts';

const onCreate = { match: { verbs: ['create'] } };

it('without a rule that matches, nothing is different', async () => {
  const stand = new FaultStand({
    rules: [{ match: { resources: ['pods'] }, fault: { kind: 'lose-reply' } }],
  });
  expect(await stand.create('a')).toMatchObject({ status: 201 });
  expect([stand.names, stand.kinds]).toEqual([['a'], []]);
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
  const fault = { kind: 'fail', reason, retryAfterSeconds: 7 };
  const stand = new FaultStand({ rules: [{ ...onCreate, fault }] });
  expect(await stand.create('a')).toMatchObject({
    status,
    body: { kind: 'Status', reason, code: status, details: { retryAfterSeconds: 7 } },
  });
  expect([stand.names.includes('a'), stand.kinds]).toEqual([false, ['0 fail']]);
});

it.for(['refused', 'reset'] as const)(
  'disconnect: the connection is %s, and nothing was done',
  async (as) => {
    const stand = new FaultStand({ rules: [{ ...onCreate, fault: { kind: 'disconnect', as } }] });
    expect(await stand.create('a')).toEqual({ broken: as });
    expect(stand.names).not.toContain('a');
  },
);

it('lose-reply: the object is there and the caller does not know', async () => {
  const stand = new FaultStand({ rules: [{ ...onCreate, when: { nth: 1 }, fault: { kind: 'lose-reply' } }] });
  expect(await stand.create('a')).toEqual({ broken: 'reset' });
  expect(stand.names).toContain('a');
  expect(await stand.create('a')).toMatchObject({ status: 409, body: { reason: 'AlreadyExists' } });
});

it('delay before: the effect comes late, and so does the answer', async () => {
  const stand = new FaultStand({ rules: [{ ...onCreate, fault: { kind: 'delay', ms: 500 } }] });
  const reply = stand.create('a');
  stand.pass(499);
  expect(stand.names).not.toContain('a');
  stand.pass(1);
  await reply;
  expect(stand.names).toContain('a');
});

it('delay after: the effect comes at once, the answer late', async () => {
  const stand = new FaultStand({
    rules: [{ ...onCreate, fault: { kind: 'delay', ms: 500, when: 'after' } }],
  });
  const before = stand.clock.now();
  const reply = stand.create('a');
  expect(stand.names).toContain('a');
  expect([bodyOf(await reply)['kind'], stand.clock.now() - before]).toEqual(['ConfigMap', 500]);
});

it('faults add up: a reply that is late and then lost', async () => {
  const rules = [
    { ...onCreate, fault: { kind: 'lose-reply' } },
    { ...onCreate, fault: { kind: 'delay', ms: 100, when: 'after' } },
    { ...onCreate, fault: { kind: 'delay', ms: 20 } },
  ];
  const stand = new FaultStand({ rules });
  expect(await stand.create('a')).toEqual({ broken: 'reset' });
  expect(stand.kinds).toEqual(['0 delay', '20 delay', '120 lose-reply']);
});

it('a request that fails is not lost as well', async () => {
  const rules = [{ fault: { kind: 'lose-reply' } }, { fault: { kind: 'fail', reason: 'Conflict' } }];
  const stand = new FaultStand({ rules });
  expect(await stand.create('a')).toMatchObject({ status: 409 });
  expect(stand.kinds).toEqual(['0 fail']);
});

it('stale-read: a list shows the old state, and its old revision says so', async () => {
  const stand = new FaultStand({ rules: [{ fault: { kind: 'stale-read', byRevisions: 2 } }] });
  for (const name of ['a', 'b', 'c']) stand.createReally(name);
  const really = stand.server.handle({ identity, method: 'GET', path: configMaps, query: {} });
  const stale = await stand.ask({});
  expect(namesIn(stale)).toEqual(['a']);
  expect(revisionOf(bodyOf(stale))).toBe(revisionOf(bodyOf(really)) - 2);
});

it('stale-read: a get shows an object that is gone, and not yet one that is there', async () => {
  const stand = new FaultStand({ rules: [{ fault: { kind: 'stale-read', byRevisions: 2 } }] });
  stand.createReally('gone');
  stand.server.handle({ identity, method: 'DELETE', path: `${configMaps}/gone`, query: {} });
  stand.createReally('new');
  expect(await stand.ask({ path: `${configMaps}/gone` })).toMatchObject({ status: 200 });
  expect(await stand.ask({ path: `${configMaps}/new` })).toMatchObject({ status: 404 });
});

it('stale-read goes back no further than the history does', async () => {
  const fault = { kind: 'stale-read', byRevisions: 1_000_000 };
  const stand = new FaultStand({ rules: [{ fault }] }, { historyMax: 2 });
  for (const name of ['a', 'b', 'c', 'd', 'e', 'f']) stand.createReally(name);
  expect([2, 3]).toContain(stand.names.length - namesIn(await stand.ask({})).length);
});

it('stale-read: a server that lags has not seen the newest revision', async () => {
  const stand = new FaultStand({ rules: [{ fault: { kind: 'stale-read', byRevisions: 1 } }] });
  const resourceVersion = String(revisionOf(bodyOf(stand.createReally('a'))));
  expect(await stand.ask({ query: { resourceVersion } })).toMatchObject({ status: 504 });
});

it('stale-read leaves alone who names a revision: later pages, and exact lists', async () => {
  const fault = { kind: 'stale-read', byRevisions: 1 };
  const stand = new FaultStand({ rules: [{ when: { fromMs: 1 }, fault }] });
  for (const name of ['a', 'b', 'c']) stand.createReally(name);
  const first = bodyOf(await stand.ask({ query: { limit: '1' } }));
  const { continue: token = '' } = { continue: '', ...Object(first['metadata']) };
  stand.pass(1);
  expect(namesIn(await stand.ask({ query: { continue: String(token) } }))).toEqual(['b', 'c']);
  const resourceVersion = String(revisionOf(first));
  const query = { resourceVersion, resourceVersionMatch: 'Exact' };
  expect(namesIn(await stand.ask({ query }))).toEqual(['a', 'b', 'c']);
  expect(stand.deeds).toEqual([]);
});

it('schema-change: from its moment on, the new schema judges', async () => {
  const schema = { type: 'object', properties: { spec: { type: 'object', required: ['size'] } } };
  const change = { kind: 'schema-change', atMs: 1000, definition: 'widgets.example.com', schema };
  const stand = new FaultStand({ situations: [change, { ...change, definition: 'nothing.example.com' }] });
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
  expect(await stand.ask({ method: 'POST', path, body: definition })).toMatchObject({ status: 201 });
  stand.pass(1);
  const widget = (name: string) => ({
    method: 'POST' as const,
    path: '/apis/example.com/v1/widgets',
    body: { apiVersion: 'example.com/v1', kind: 'Widget', metadata: { name }, spec: {} },
  });
  expect(await stand.ask(widget('before'))).toMatchObject({ status: 201 });
  stand.pass(1000);
  expect(await stand.ask(widget('after'))).toMatchObject({ status: 422 });
  expect(stand.kinds).toEqual(['1000 schema-change done', '1000 schema-change there is no such definition']);
});

it('after close nothing that was scheduled happens', () => {
  const change = { kind: 'schema-change', atMs: 1000, definition: 'widgets.example.com', schema: {} };
  const stand = new FaultStand({ situations: [change] });
  stand.faulty.close();
  stand.pass(2000);
  expect(stand.deeds).toEqual([]);
});

it('what was done reads as one line, whatever a client calls itself', async () => {
  const stand = new FaultStand({ rules: [{ ...onCreate, fault: { kind: 'delay', ms: 5 } }] });
  await stand.ask({ method: 'POST', body: { metadata: { name: 'a' } }, userAgent: 'kubectl/v1\nfault: b' });
  expect(stand.deeds.map(describeDeed)).toEqual([
    'delay ms=5 when=before on create configmaps default/a by kubectl/v1?fault: b',
  ]);
});
