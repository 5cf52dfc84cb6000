/** The requests that a plan selects, and when. */
import { ownIdentity as identity } from '../auth/identity.ts';
import { expect, it } from 'vitest';
import { FaultHarness, seeded } from '../../../../lab/contracts/kubernetes-api/faults/harness.ts';
import { askedOf, type Asked } from './asked.ts';
import { FaultPlan } from './fault-plan.ts';
import { parsePlan } from './plan-file.ts';

const fail = { kind: 'error', reason: 'InternalError' } as const;
const create: Asked = {
  verb: 'create',
  resource: 'leases.coordination.k8s.io',
  namespace: 'default',
  name: 'a',
  userAgent: 'muster/1 (linux)',
};

function planOf(plan: object, { now = (): number => 0, seed = 1 } = {}): FaultPlan {
  const ports = { clock: { now }, random: seeded(seed), report: () => undefined };
  return new FaultPlan(parsePlan(JSON.stringify(plan)), ports);
}

/** For each of `count` equal requests, whether a fault was injected. */
function hits(plan: FaultPlan, count: number): readonly boolean[] {
  return Array.from({ length: count }, () => plan.decide(create).length > 0);
}

it.for([
  [{}, true],
  [{ verbs: ['create'] }, true],
  [{ verbs: ['update', 'patch'] }, false],
  [{ resources: ['leases.coordination.k8s.io'] }, true],
  [{ resources: ['leases'] }, false],
  [{ namespaces: ['default'] }, true],
  [{ namespaces: ['other'] }, false],
  [{ names: ['b', 'a'] }, true],
  [{ names: ['b'] }, false],
  [{ userAgents: ['muster/'] }, true],
  [{ userAgents: ['kubectl'] }, false],
  [{ verbs: ['create'], names: ['b'] }, false],
] as const)('a create of the lease default/a by muster against %j: %j', ([match, expected]) => {
  expect(planOf({ rules: [{ match, fault: fail }] }).decide(create)).toEqual(expected ? [fail] : []);
});

it.for([
  ['GET', '/api/v1/namespaces/x/pods', {}, 'list pods x '],
  ['GET', '/api/v1/pods', { watch: '1' }, 'watch pods  '],
  ['GET', '/api/v1/namespaces/x/pods/p', {}, 'get pods x p'],
  ['PUT', '/api/v1/namespaces/x/pods/p/status', {}, 'update pods x p'],
  ['PATCH', '/api/v1/namespaces/x', {}, 'patch namespaces  x'],
  ['DELETE', '/apis/muster.dev/v1/machosts/h', {}, 'delete machosts.muster.dev  h'],
  ['DELETE', '/api/v1/namespaces/x/pods', {}, 'deletecollection pods x '],
  ['POST', '/api/v1/namespaces/x/pods', {}, 'create pods x in-the-body'],
  ['GET', '/version', {}, 'get   '],
] as const)('%s %s %j is: %s', ([method, path, query, expected]) => {
  const body = { metadata: { name: 'in-the-body' } };
  const { verb, resource, namespace, name } = askedOf({ identity, method, path, query, body });
  expect([verb, resource, namespace, name].join(' ')).toBe(expected);
});

it('nth selects one of the matching requests', () => {
  expect(hits(planOf({ rules: [{ when: { nth: 3 }, fault: fail }] }), 5)).toEqual([
    false,
    false,
    true,
    false,
    false,
  ]);
});

it('atMost ends a rule', () => {
  expect(hits(planOf({ rules: [{ when: { atMost: 2 }, fault: fail }] }), 4)).toEqual([
    true,
    true,
    false,
    false,
  ]);
});

it('probability applies to each request, and the same seed selects the same requests', () => {
  const rules = [{ when: { probability: 0.25 }, fault: fail }];
  const picked = hits(planOf({ rules }), 4000);
  const share = picked.filter(Boolean).length / picked.length;
  expect([share > 0.2, share < 0.3]).toEqual([true, true]);
  expect(hits(planOf({ rules }), 4000)).toEqual(picked);
  expect(hits(planOf({ rules }, { seed: 2 }), 4000)).not.toEqual(picked);
});

it('draws a number only for a matching rule with a probability', () => {
  const drawn: string[] = [];
  const random = { next: () => drawn.push('number') };
  const rules = [
    { fault: fail },
    { match: { verbs: ['get'] }, when: { probability: 0.5 }, fault: fail },
    { when: { nth: 2, probability: 0.5 }, fault: fail },
  ];
  const file = parsePlan(JSON.stringify({ rules }));
  hits(new FaultPlan(file, { clock: { now: () => 0 }, random, report: () => undefined }), 3);
  expect(drawn).toEqual(['number']);
});

it('a rule applies from its start, and not at its end', () => {
  const time = { now: 5000 };
  const rules = [{ when: { fromMs: 100, untilMs: 300 }, fault: fail }];
  const plan = planOf({ rules }, { now: () => time.now });
  const at = (ms: number): boolean => {
    time.now = 5000 + ms;
    return plan.decide(create).length > 0;
  };
  expect([0, 99, 100, 299, 300].map(at)).toEqual([false, false, true, true, false]);
});

it('a fault applies only to its verbs', () => {
  const kinds = [
    { kind: 'watch-drop', afterEvents: 1 },
    { kind: 'stale-read', byRevisions: 1 },
    { kind: 'reply-lost' },
    fail,
  ];
  const plan = planOf({ rules: kinds.map((fault) => ({ fault })) });
  const hit = (verb: Asked['verb']): readonly string[] =>
    plan.decide({ ...create, verb }).map(({ kind }) => kind);
  expect({ create: hit('create'), list: hit('list'), watch: hit('watch') }).toEqual({
    create: ['reply-lost', 'error'],
    list: ['stale-read', 'reply-lost', 'error'],
    watch: ['watch-drop', 'error'],
  });
});

it('write-outage: writes fail during the outage, reads work', async () => {
  const harness = new FaultHarness({ situations: [{ kind: 'write-outage', fromMs: 100, forMs: 100 }] });
  const answers = async () => [await harness.create('a'), await harness.ask({})];
  expect(await answers()).toMatchObject([{ status: 201 }, { status: 200 }]);
  harness.pass(100);
  expect(await answers()).toMatchObject([{ status: 500 }, { status: 200 }]);
  harness.pass(100);
  expect(await answers()).toMatchObject([{ status: 409 }, { status: 200 }]);
});

it('throttling: every answer has Retry-After', async () => {
  const situation = { kind: 'throttling', fromMs: 0, forMs: 100, retryAfterSeconds: 3 };
  const harness = new FaultHarness({ situations: [situation] });
  expect(await harness.ask({})).toMatchObject({
    status: 429,
    body: { reason: 'TooManyRequests', details: { retryAfterSeconds: 3 } },
  });
  harness.pass(100);
  expect(await harness.ask({})).toMatchObject({ status: 200 });
});

it('outage: no request is answered, running watches break, and all works again afterwards', async () => {
  const harness = new FaultHarness({ situations: [{ kind: 'outage', fromMs: 100, forMs: 100 }] });
  harness.createReally('a');
  const seen = await harness.watch();
  harness.pass(100);
  expect([seen.events.length, seen.end]).toEqual([1, 'broken']);
  expect(await harness.ask({ path: '/version' })).toEqual({ broken: 'refused' });
  harness.pass(100);
  expect((await harness.watch()).events).toHaveLength(1);
});
