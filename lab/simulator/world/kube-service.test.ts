import { describe, expect, it } from 'vitest';
import { drain } from '../../harness/drain.ts';
import { ownIdentity as identity } from '../../../src/embedded/kubernetes-api/auth/identity.ts';
import type { Clock } from '../../../src/platform/clock.ts';
import type { Json } from '../../../src/embedded/kubernetes-api/json.ts';
import { FaultInjector } from '../faults/fault-injector.ts';
import type { EffectFault } from '../faults/effect-fault.ts';
import type { KubeReply, KubeRequest } from './kube-service.ts';
import { revisionOf } from './object-text.ts';
import type { TimedFault } from '../faults/timed-fault.ts';
import { World } from './world.ts';

const path = '/api/v1/namespaces/default/configmaps';

type Wanted = Partial<KubeRequest> & { readonly waitMs?: number };

/** A process that watches, and a client that writes past all faults. */
class Harness {
  readonly world: World;
  readonly seen: string[] = [];
  readonly replies: KubeReply[] = [];
  readonly #faults: Readonly<Record<string, EffectFault>>;

  constructor(faults: Readonly<Record<string, EffectFault>> = {}, seed = 1) {
    this.#faults = faults;
    this.world = new World({ seed, drain });
    this.world.useFaults({ decide: ({ id }) => [this.#faults[id] ?? []].flat() });
  }

  add(name: string, requests: readonly Wanted[], isListening = true): this {
    const live = async (clock: Clock, ask: (request: KubeRequest) => Promise<KubeReply>): Promise<void> => {
      for (const { waitMs = 0, ...request } of requests) {
        if (waitMs > 0) await new Promise<void>((resolve) => void clock.after(waitMs, resolve));
        const reply = await ask({ method: 'GET', path, query: {}, ...request });
        this.replies.push(reply);
        if ('watch' in reply && isListening) this.listen(name, reply);
      }
    };
    this.world.addProcess({
      name,
      versions: [
        ({ incarnation, clock }) => {
          const transport = this.world.kube.transport(incarnation);
          void live(clock, (request) => transport.request(request, { deadlineMs: 5000 }));
          return {};
        },
      ],
    });
    return this;
  }

  listen(name: string, reply: KubeReply): void {
    if (!('watch' in reply)) throw new Error('it is no watch');
    reply.watch({
      event: ({ type, object }) => this.say(name, `${type} ${type === 'ERROR' ? '' : nameOf(object)}`.trim()),
      end: (how) => this.say(name, how ?? 'ended'),
    });
  }

  say(name: string, text: string): void {
    this.seen.push(`${this.world.passedMs} ${name} ${text}`);
  }

  /** What one of the watchers saw, without times. */
  of(name: string): readonly string[] {
    return this.seen.flatMap((line) =>
      line.split(' ')[1] === name ? [line.split(' ').slice(2).join(' ')] : [],
    );
  }

  write(...names: readonly string[]): this {
    for (const name of names)
      this.world.kube.server.handle({
        identity,
        method: 'POST',
        path,
        query: {},
        body: { metadata: { name } },
      });
    return this;
  }

  do(fault: TimedFault): void {
    new FaultInjector(this.world, {}).breakForGood([fault]);
  }

  async pass(ms: number): Promise<this> {
    await this.world.schedule.runUntil(this.world.schedule.now + ms);
    return this;
  }
}

function nameOf(object: Json): string {
  return String(Reflect.get(Object(Reflect.get(Object(object), 'metadata')), 'name'));
}

const watching: Partial<KubeRequest> = { query: { watch: 'true', resourceVersion: '0' } };
const names = Array.from('abcdefghij');
const added = names.map((name) => `ADDED ${name}`);

describe('a watch', () => {
  it('delivers each event to each watcher, in order, with separate delays', async () => {
    const harness = await new Harness().add('one', [watching]).add('two', [watching]).pass(1000);
    await harness.write(...names).pass(1000);
    expect([harness.of('one'), harness.of('two')]).toEqual([added, added]);
    const times = (name: string): string =>
      harness.seen.flatMap((line) => (line.includes(` ${name} `) ? [line.split(' ')[0]] : [])).join(' ');
    expect(times('one')).not.toBe(times('two'));
  });

  it('keeps events that arrive before the listener', async () => {
    const harness = await new Harness().add('one', [watching], false).pass(1000);
    await harness.write(...names).pass(1000);
    const [reply] = harness.replies;
    if (reply !== undefined) harness.listen('one', reply);
    expect(harness.of('one')).toEqual(added);
  });

  it('ends with the process, and leaves no watch open', async () => {
    const harness = await new Harness().add('one', [watching]).pass(1000);
    expect(harness.world.kube.watchesOf('one')).toBe(1);
    harness.world.processes.get('one')?.crash(undefined);
    await harness.write(...names).pass(10_000);
    expect([harness.of('one'), harness.world.kube.watchesOf('one')]).toEqual([[], 0]);
  });

  it('of a paused process delivers all past events afterwards, in order', async () => {
    const harness = await new Harness().add('one', [watching]).pass(1000);
    harness.world.processes.get('one')?.pause();
    await harness.write(...names).pass(60_000);
    expect(harness.of('one')).toEqual([]);
    harness.world.processes.get('one')?.resume();
    await harness.pass(1);
    expect(harness.of('one')).toEqual(added);
  });

  it.for<[string, EffectFault, readonly string[]]>([
    ['drops', { kind: 'watch-drop', afterMs: 2000 }, ['broken']],
    ['expires', { kind: 'watch-expire', afterMs: 2000 }, ['ERROR', 'ended']],
    ['stalls', { kind: 'watch-stall', afterMs: 2000, forMs: 60_000 }, []],
    ['lags', { kind: 'watch-lag', ms: 60_000 }, []],
  ])('%s', async ([, fault, seen]) => {
    const harness = await new Harness({ 'one/kube/watch configmaps#1': fault })
      .add('one', [watching])
      .pass(3000);
    await harness.write(...names).pass(10_000);
    expect(harness.of('one')).toEqual(seen);
    await harness.pass(120_000);
    expect(harness.of('one')).toEqual(seen.length === 0 ? added : seen);
    expect(harness.world.reachability.rows).toEqual({ [`fault ${fault.kind}`]: 1 });
  });

  it('may deliver an event twice', async () => {
    const harness = new Harness({ 'one/kube/watch configmaps#1': { kind: 'watch-duplicate', event: 2 } });
    await harness.add('one', [watching]).pass(1000);
    await harness.write('a', 'b', 'c').pass(1000);
    expect(harness.of('one')).toEqual(['ADDED a', 'ADDED b', 'ADDED b', 'ADDED c']);
  });

  it('arrives late over a link that holds, and breaks over a link that loses', async () => {
    const harness = await new Harness().add('one', [watching]).add('two', [watching]).pass(1000);
    const [one, two] = ['one', 'two'].map((name) => harness.world.links.between(name, 'kube-watch'));
    one?.clog(true);
    two?.clog(false);
    await harness.write(...names).pass(5000);
    expect(harness.seen).toEqual([]);
    one?.heal();
    two?.heal();
    await harness.pass(5000);
    expect([harness.of('one'), harness.of('two')]).toEqual([added, ['broken']]);
  });

  it('breaks when the service goes down', async () => {
    const harness = await new Harness().add('one', [watching]).pass(1000);
    harness.do({ kind: 'outage', service: 'kube' });
    expect(harness.of('one')).toEqual(['broken']);
  });
});

describe('a read', () => {
  it('may come from a lagging server', async () => {
    const harness = new Harness({ 'one/kube/list configmaps#2': { kind: 'stale-read', byRevisions: 2 } });
    await harness.pass(1000);
    await harness.write('a', 'b', 'c').add('one', [{}, {}]).pass(1000);
    expect(harness.replies.map(namesIn)).toEqual([['a', 'b', 'c'], ['a']]);
  });

  it('after time travel shows an older state than the watch before it', async () => {
    const harness = new Harness({
      'one/kube/watch configmaps#1': { kind: 'time-travel', afterMs: 200, byRevisions: 2 },
    });
    await harness.pass(1000);
    await harness
      .write('a', 'b', 'c')
      .add('one', [watching, { waitMs: 1000 }, {}])
      .pass(5000);
    expect(harness.of('one')).toEqual(['ADDED a', 'ADDED b', 'ADDED c', 'ERROR', 'ended']);
    expect(harness.replies.slice(1).map(namesIn), 'and only once').toEqual([['a'], ['a', 'b', 'c']]);
  });
});

function namesIn(reply: KubeReply): readonly string[] {
  const items = 'body' in reply ? reply.body['items'] : [];
  return Array.isArray(items) ? items.map(nameOf) : [];
}

describe('a write', () => {
  const create: Partial<KubeRequest> = { method: 'POST', body: { metadata: { name: 'x' } } };

  it('fails in an outage of writes, while reads go on', async () => {
    const harness = new Harness();
    harness.world.calls.setState('kube', 'no-writes');
    await harness.add('one', [create, {}]).pass(1000);
    expect(harness.replies).toMatchObject([{ status: 500 }, { status: 200 }]);
    expect(harness.world.kube.changedAt - Date.UTC(2026, 0, 1)).toBe(0);
  });

  it('that changes nothing, or renews a lease, does not count as a write', async () => {
    const lease = '/apis/coordination.k8s.io/v1/namespaces/default/leases';
    const harness = await new Harness().add('one', [create]).pass(1000);
    const { changedAt } = harness.world.kube;
    expect(changedAt).toBeGreaterThan(harness.world.schedule.startsAt);
    const same = harness.world.kube.server.handle({ identity, method: 'GET', path: `${path}/x`, query: {} });
    const body = 'body' in same ? same.body : {};
    expect(revisionOf(body)).toBeGreaterThan(0);
    await harness
      .add('two', [
        { method: 'PUT', path: `${path}/x`, body },
        { method: 'POST', path: lease, body: { metadata: { name: 'leader' } } },
      ])
      .pass(1000);
    expect(harness.replies.map((reply) => 'status' in reply && reply.status)).toEqual([201, 200, 201]);
    expect(harness.world.kube.changedAt).toBe(changedAt);
    await harness.add('three', [{ method: 'DELETE', path: `${path}/x` }]).pass(1000);
    expect(harness.world.kube.changedAt).toBeGreaterThan(changedAt);
  });

  it('leaks a secret unless it goes into a Secret', async () => {
    const harness = new Harness();
    const password = harness.world.canaries.plant('password');
    const secrets = '/api/v1/namespaces/default/secrets';
    const body = { metadata: { name: 'x' }, stringData: { password } };
    await harness.add('one', [{ method: 'POST', path: secrets, body }]).pass(1000);
    expect(harness.replies).toMatchObject([{ status: 201 }]);
    expect(harness.world.violation).toBeUndefined();
    await harness
      .add('two', [{ ...create, body: { metadata: { name: 'x' }, data: { password } } }])
      .pass(1000);
    expect(harness.world.violation).toMatchObject({
      id: 'secret',
      message: 'the secret password can be read in create configmaps',
    });
  });
});

it('after a schema change, writes that were valid are refused', async () => {
  const definitions = '/apis/apiextensions.k8s.io/v1/customresourcedefinitions';
  const widgets = '/apis/example.com/v1/namespaces/default/widgets';
  const words = { plural: 'widgets', singular: 'widget', kind: 'Widget', listKind: 'WidgetList' };
  const spec = { type: 'object', properties: { size: { type: 'integer' } } };
  const schema = (...required: string[]) => ({
    type: 'object',
    properties: { spec: { ...spec, required } },
  });
  const version = { name: 'v1', served: true, storage: true, schema: { openAPIV3Schema: schema() } };
  const definition = {
    metadata: { name: 'widgets.example.com' },
    spec: { group: 'example.com', scope: 'Namespaced', names: words, versions: [version] },
  };
  const create = (name: string): Wanted => ({
    method: 'POST',
    path: widgets,
    body: { apiVersion: 'example.com/v1', kind: 'Widget', metadata: { name }, spec: {} },
    waitMs: 5000,
  });
  const harness = new Harness();
  harness.add('one', [{ method: 'POST', path: definitions, body: definition }, create('a'), create('b')]);
  await harness.pass(7000);
  harness.do({
    kind: 'schema-change',
    definition: 'widgets.example.com',
    schema: schema('size'),
  });
  await harness.pass(7000);
  expect(harness.replies.map((reply) => 'status' in reply && reply.status)).toEqual([201, 201, 422]);
});

it('a request is authorized by the roles of its caller', async () => {
  const harness = new Harness();
  const replies: KubeReply[] = [];
  harness.world.addProcess({
    name: 'stranger',
    versions: [
      ({ incarnation }) => {
        const transport = harness.world.kube.transport(incarnation, { user: 'stranger', groups: [] });
        void transport.request({ method: 'GET', path, query: {} }).then((reply) => replies.push(reply));
        return {};
      },
    ],
  });
  await harness.pass(1000);
  expect(replies).toMatchObject([{ status: 403 }]);
});
