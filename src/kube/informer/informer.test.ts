import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { EmbeddedTransport } from '../../../lab/harness/embedded-transport.ts';
import { TestClock } from '../../../lab/harness/test-clock.ts';
import { ownIdentity as identity } from '../../embedded/kubernetes-api/auth/identity.ts';
import { ApiServer } from '../../embedded/kubernetes-api/server.ts';
import { FleetError } from '../../platform/errors/fleet-error.ts';
import { configMaps, type ConfigMap } from '../client/builtin-resources.ts';
import { KubeClient } from '../client/client.ts';
import { RateLimit } from '../../platform/rate-limit.ts';
import { Informer, type InformerOptions } from './informer.ts';

const path = '/api/v1/namespaces/default/configmaps';
const minute = 60_000;

class Harness {
  readonly clock = new TestClock(Date.UTC(2026, 0, 1));
  readonly server: ApiServer;
  readonly transport: EmbeddedTransport;
  readonly changes: string[] = [];
  readonly troubles: string[] = [];
  readonly faults: unknown[] = [];
  readonly informer: Informer<ConfigMap>;

  constructor(options: Partial<InformerOptions<ConfigMap>> = {}, historyMax = 1000) {
    const { clock } = this;
    const random = { next: () => 0.5 };
    const controllers = { accounts: 'off', rootCertificates: 'off' } as const;
    this.server = new ApiServer({ clock, random, historyMax, tokenSecret: new Uint8Array(32), controllers });
    this.transport = new EmbeddedTransport(this.server);
    const limit = new RateLimit(clock, { perSecond: 1000, burst: 1000 });
    const client = new KubeClient({ transport: this.transport, clock, limit, fieldManager: 'test' });
    this.informer = new Informer({
      client,
      resource: configMaps,
      clock,
      random,
      scope: { namespace: 'default' },
      onTrouble: ({ reason }) => void this.troubles.push(reason),
      onListenerFault: (error) => void this.faults.push(error),
      ...options,
    });
    this.informer.listen(({ key, object, before }) => {
      const what = object === undefined ? 'gone' : before === undefined ? 'new' : 'changed';
      this.changes.push(`${key.replace('default/', '')} ${what}`);
    });
  }

  write(method: 'POST' | 'PUT' | 'DELETE', name: string, value = ''): void {
    const body = method === 'DELETE' ? undefined : { metadata: { name }, data: { value } };
    const place = method === 'POST' ? path : `${path}/${name}`;
    this.server.handle({ identity, method, path: place, query: {}, body });
  }

  async start(): Promise<void> {
    this.informer.start();
    await this.clock.settle();
    await this.informer.synced();
    await this.clock.settle();
  }

  get copy(): Readonly<Record<string, string>> {
    return Object.fromEntries(
      this.informer.all().map(({ metadata, data }) => [metadata.name, data?.['value'] ?? '']),
    );
  }

  get truth(): Readonly<Record<string, string>> {
    const answer = this.server.handle({ identity, method: 'GET', path, query: {} });
    const items: ConfigMap[] = 'status' in answer ? JSON.parse(JSON.stringify(answer.body['items'])) : [];
    return Object.fromEntries(items.map(({ metadata, data }) => [metadata.name, data?.['value'] ?? '']));
  }

  taken(): readonly string[] {
    return this.changes.splice(0);
  }
}

function lists({ transport }: Harness): number {
  return transport.requests.filter(({ query }) => query['watch'] === undefined).length;
}

/** Watches that began with a full state. */
function wholes({ transport }: Harness): number {
  return transport.requests.filter(({ query }) => query['sendInitialEvents'] === 'true').length;
}

describe('an informer', () => {
  it('has every object once synced, and then every change', async () => {
    const harness = new Harness();
    harness.write('POST', 'a', '1');
    await harness.start();
    expect(harness.taken()).toEqual(['a new']);
    harness.write('POST', 'b', '1');
    harness.write('PUT', 'a', '2');
    harness.write('DELETE', 'b');
    await harness.clock.settle();
    expect(harness.taken()).toEqual(['b new', 'a changed', 'b gone']);
    expect(harness.copy).toEqual({ a: '2' });
    await harness.informer.stop();
    await harness.clock.pass(0);
    expect([harness.transport.openWatches, harness.clock.pending]).toEqual([0, 0]);
  });

  it('starts no watch when stopped during a list', async () => {
    const harness = new Harness();
    const refused = { status: 422, body: { kind: 'Status', reason: 'Invalid' } };
    harness.transport.trouble = ({ query }) => (query['sendInitialEvents'] === 'true' ? refused : undefined);
    const listed = Promise.withResolvers<void>();
    const send = harness.transport.send.bind(harness.transport);
    harness.transport.send = async (request) => {
      await listed.promise;
      return send(request);
    };
    harness.informer.start();
    await harness.clock.settle();
    const stopped = harness.informer.stop();
    listed.resolve();
    await harness.clock.pass(0);
    expect([harness.transport.openWatches, harness.clock.pending]).toEqual([0, 0]);
    await stopped;
  });

  it('is not synced before it has every object', async () => {
    const harness = new Harness();
    harness.transport.trouble = () => 'refused';
    harness.informer.start();
    await harness.clock.pass(minute);
    expect(harness.informer.isSynced).toBe(false);
    harness.transport.trouble = () => undefined;
    await harness.clock.pass(minute);
    expect(harness.informer.isSynced).toBe(true);
  });

  it('continues where a broken watch ended, without a new list and without repeated changes', async () => {
    const harness = new Harness();
    harness.write('POST', 'a', '1');
    await harness.start();
    harness.transport.cut();
    harness.write('POST', 'b', '1');
    await harness.clock.pass(minute);
    expect(harness.taken()).toEqual(['a new', 'b new']);
    const watches = harness.transport.requests.map(({ query }) => query['resourceVersion'] !== undefined);
    expect(watches).toEqual([false, true]);
  });

  it('finds missed changes and deletions by a fresh list after the server compacted its history', async () => {
    const harness = new Harness({}, 5);
    for (const name of ['a', 'b']) harness.write('POST', name, '1');
    await harness.start();
    harness.taken();
    harness.transport.trouble = () => 'refused';
    harness.transport.cut();
    harness.write('DELETE', 'a');
    for (let number = 2; number < 12; number += 1) harness.write('PUT', 'b', String(number));
    await harness.clock.pass(minute);
    harness.transport.trouble = () => undefined;
    await harness.clock.pass(minute);
    expect(harness.taken()).toEqual(['a gone', 'b changed']);
    expect(harness.troubles).toContain('Expired');
    expect(harness.copy).toEqual({ b: '11' });
  });

  it('replaces a silent watch', async () => {
    const harness = new Harness();
    await harness.start();
    harness.transport.isSilent = true;
    harness.write('POST', 'unseen', '1');
    await harness.clock.pass(80_000);
    expect([harness.copy, harness.informer.ageMs >= 80_000]).toEqual([{}, true]);
    harness.transport.isSilent = false;
    await harness.clock.pass(20_000);
    expect(harness.copy).toEqual({ unseen: '1' });
    expect([harness.troubles, harness.transport.reconnects]).toEqual([['SilentWatch'], 1]);
  });

  it('compares its cache with a fresh list from time to time, and finds changes that no watch sent', async () => {
    const harness = new Harness({ relistMs: 10 * minute });
    await harness.start();
    harness.transport.isSilent = true;
    harness.write('POST', 'unseen', '1');
    await harness.clock.settle();
    harness.transport.isSilent = false;
    harness.write('POST', 'seen', '1');
    await harness.clock.settle();
    expect(harness.copy).toEqual({ seen: '1' });
    await harness.clock.pass(20 * minute);
    expect(harness.copy).toEqual({ seen: '1', unseen: '1' });
  });

  it('backs off while requests fail, and never stops trying', async () => {
    const harness = new Harness();
    harness.transport.trouble = () => ({ status: 503, body: {} });
    harness.informer.start();
    await harness.clock.pass(60 * minute);
    const asked = harness.transport.requests.length;
    expect(asked).toBeGreaterThan(60);
    expect(asked).toBeLessThan(250);
    harness.transport.trouble = () => undefined;
    await harness.clock.pass(minute);
    expect(harness.informer.isSynced).toBe(true);
  });

  it('does not loop on a server that ends every watch at once', async () => {
    const harness = new Harness();
    await harness.start();
    harness.transport.onOpen = (end) => end();
    harness.transport.cut();
    await harness.clock.pass(60 * minute);
    expect(harness.transport.requests.length).toBeLessThan(250);
    expect(harness.troubles.filter((reason) => reason === 'ShortWatch').length).toBeGreaterThan(100);
    harness.transport.onOpen = () => undefined;
    harness.write('POST', 'a', '1');
    await harness.clock.pass(minute);
    expect(harness.copy).toEqual({ a: '1' });
  });

  it.for(['Expired', 'Gone'])(
    'does not loop on a server that lists and then calls its revision %s',
    async (reason) => {
      const harness = new Harness();
      harness.transport.trouble = ({ query }) =>
        query['sendInitialEvents'] !== undefined
          ? { status: 422, body: { kind: 'Status', reason: 'Invalid' } }
          : query['watch'] === undefined
            ? undefined
            : { status: 410, body: { kind: 'Status', reason } };
      harness.informer.start();
      await harness.clock.settle();
      // There is nothing to wait for at first: the next list may be enough.
      expect(lists(harness)).toBe(2);
      await harness.clock.pass(60 * minute);
      expect(lists(harness)).toBeLessThan(250);
      harness.transport.trouble = () => undefined;
      harness.write('POST', 'a', '1');
      await harness.clock.pass(minute);
      expect(harness.copy).toEqual({ a: '1' });
    },
  );

  it.for([
    ['sent a change', (harness: Harness) => harness.write('POST', 'a', '1')],
    ['lived for some seconds', (harness: Harness) => harness.clock.pass(5000)],
  ] as const)('resets its backoff after a watch that %s', async ([, live]) => {
    const harness = new Harness();
    await harness.start();
    harness.transport.trouble = () => 'refused';
    harness.transport.cut();
    await harness.clock.pass(10 * minute);
    harness.transport.trouble = () => undefined;
    while (harness.transport.openWatches === 0) await harness.clock.next();
    await live(harness);
    await harness.clock.settle();
    harness.transport.cut();
    await harness.clock.settle();
    expect(harness.transport.openWatches).toBe(0);
    await harness.clock.pass(500);
    expect(harness.transport.openWatches).toBe(1);
  });

  it('keeps its backoff after a watch that broke at once', async () => {
    const harness = new Harness();
    await harness.start();
    harness.transport.trouble = () => 'refused';
    harness.transport.cut();
    await harness.clock.pass(10 * minute);
    harness.transport.trouble = () => undefined;
    while (harness.transport.openWatches === 0) await harness.clock.next();
    harness.transport.cut();
    await harness.clock.settle();
    await harness.clock.pass(10_000);
    expect(harness.transport.openWatches).toBe(0);
  });

  it('without the right to watch retries in the same way', async () => {
    const harness = new Harness();
    harness.transport.trouble = () => ({ status: 403, body: { kind: 'Status', reason: 'Forbidden' } });
    harness.informer.start();
    await harness.clock.pass(minute);
    harness.transport.trouble = () => undefined;
    await harness.clock.pass(minute);
    expect([harness.informer.isSynced, lists(harness)]).toEqual([true, 0]);
  });

  it('runs once when started twice', async () => {
    const harness = new Harness();
    harness.informer.start();
    await harness.start();
    expect([harness.transport.openWatches, harness.transport.requests.length]).toEqual([1, 1]);
  });

  it('reports nothing when a fresh list equals the cache', async () => {
    const harness = new Harness({ relistMs: minute });
    harness.write('POST', 'a', '1');
    await harness.start();
    expect(harness.taken()).toEqual(['a new']);
    await harness.clock.pass(60 * minute);
    expect(wholes(harness)).toBeGreaterThan(5);
    expect(harness.taken()).toEqual([]);
  });

  it('ends an endless list when stopped, and sends no more requests', async () => {
    const harness = new Harness();
    let page = 0;
    const listed: PromiseWithResolvers<void>[] = [];
    harness.transport.trouble = () => ({ status: 422, body: { kind: 'Status', reason: 'Invalid' } });
    harness.transport.send = async () => {
      page += 1;
      const gate = Promise.withResolvers<void>();
      listed.push(gate);
      await gate.promise;
      const metadata = { resourceVersion: '101', continue: String(page) };
      return { status: 200, body: { apiVersion: 'v1', kind: 'ConfigMapList', metadata, items: [] } };
    };
    harness.informer.start();
    await harness.clock.settle();
    listed[0]?.resolve();
    await harness.clock.settle();
    const stopped = harness.informer.stop();
    listed[1]?.resolve();
    await stopped;
    expect([page, harness.transport.requests.length, harness.transport.openWatches]).toEqual([2, 1, 0]);
  });

  it('closes a watch that was being opened when stopped', async () => {
    const harness = new Harness();
    const stream = harness.transport.stream.bind(harness.transport);
    const gate = Promise.withResolvers<void>();
    harness.transport.stream = async (request, signal) => {
      await gate.promise;
      return stream(request, signal);
    };
    harness.informer.start();
    await harness.clock.settle();
    const stopped = harness.informer.stop();
    gate.resolve();
    await stopped;
    await harness.clock.pass(0);
    expect([harness.transport.openWatches, harness.clock.pending]).toEqual([0, 0]);
  });

  it('counts a list as an answer of the server', async () => {
    const harness = new Harness();
    harness.transport.trouble = () => ({ status: 422, body: { kind: 'Status', reason: 'Invalid' } });
    harness.informer.start();
    await harness.clock.pass(minute);
    expect(harness.informer.ageMs).toBe(minute);
    harness.transport.trouble = ({ query }) => (query['watch'] === undefined ? undefined : 'refused');
    while (!harness.informer.isSynced) await harness.clock.next();
    expect(harness.informer.ageMs).toBe(0);
  });

  it('stops a list that starts over again and again', async () => {
    const harness = new Harness();
    const metadata = { resourceVersion: '101', continue: 'again' };
    harness.transport.trouble = ({ query }) =>
      query['watch'] === undefined
        ? { status: 200, body: { apiVersion: 'v1', kind: 'ConfigMapList', metadata, items: [] } }
        : { status: 422, body: { kind: 'Status', reason: 'Invalid' } };
    harness.informer.start();
    await harness.clock.pass(minute);
    expect(new Set(harness.troubles)).toEqual(new Set(['Invalid', 'EndlessList']));
    expect(lists(harness)).toBeLessThan(30);
    expect(harness.informer.isSynced).toBe(false);
  });

  it('reports a failure of its credentials and continues', async () => {
    const harness = new Harness();
    const none = new FleetError('unavailable', { reason: 'NoCredentials', message: 'disk failure' });
    const stream = harness.transport.stream.bind(harness.transport);
    harness.transport.stream = () => Promise.reject(none);
    harness.informer.start();
    await harness.clock.pass(minute);
    expect(new Set(harness.troubles)).toEqual(new Set(['NoCredentials']));
    harness.transport.stream = stream;
    await harness.clock.pass(minute);
    expect(harness.informer.isSynced).toBe(true);
  });

  it('keeps its cache when something else answers in place of the server', async () => {
    const harness = new Harness({ relistMs: minute });
    harness.write('POST', 'a', '1');
    await harness.start();
    harness.taken();
    const pods = { apiVersion: 'v1', kind: 'PodList', metadata: { resourceVersion: '999' }, items: [] };
    harness.transport.trouble = ({ query }) =>
      query['watch'] === undefined
        ? { status: 200, body: pods }
        : { status: 422, body: { kind: 'Status', reason: 'Invalid' } };
    harness.transport.cut();
    await harness.clock.pass(10 * minute);
    expect([harness.copy, harness.taken()]).toEqual([{ a: '1' }, []]);
    expect(harness.troubles).toContain('NotKubernetes');
  });

  it('waits as long as a throttling server requires', async () => {
    const harness = new Harness();
    harness.transport.trouble = () => ({ status: 429, retryAfterSeconds: 20, body: {} });
    harness.informer.start();
    await harness.clock.pass(59_000);
    expect(harness.transport.requests).toHaveLength(3);
    await harness.informer.stop();
  });

  it('lists page by page where a server does not stream a list', async () => {
    const harness = new Harness();
    for (let number = 0; number < 3; number += 1) harness.write('POST', `c-${number}`, '1');
    harness.transport.trouble = ({ query }) =>
      query['sendInitialEvents'] === undefined
        ? undefined
        : {
            status: 422,
            body: { kind: 'Status', reason: 'Invalid', message: 'sendInitialEvents is forbidden' },
          };
    await harness.start();
    expect(Object.keys(harness.copy)).toEqual(['c-0', 'c-1', 'c-2']);
    harness.write('POST', 'd', '1');
    await harness.clock.settle();
    expect(Object.keys(harness.copy)).toContain('d');
  });

  it('ignores an older list of a lagging server, but follows a restored server', async () => {
    const harness = new Harness({ relistMs: 1 });
    harness.write('POST', 'a', '1');
    await harness.start();
    const old = { apiVersion: 'v1', kind: 'ConfigMapList', metadata: { resourceVersion: '101' }, items: [] };
    harness.transport.trouble = ({ query }) =>
      query['sendInitialEvents'] !== undefined
        ? { status: 422, body: { kind: 'Status', reason: 'Invalid' } }
        : query['watch'] === undefined
          ? { status: 200, body: old }
          : undefined;
    harness.write('PUT', 'a', '2');
    await harness.clock.settle();
    harness.transport.cut();
    await harness.clock.pass(1000);
    expect([harness.copy, harness.troubles.at(-1)]).toEqual([{ a: '2' }, 'OutdatedList']);
    expect(harness.taken()).not.toContain('a gone');
    await harness.clock.pass(minute);
    expect(harness.taken()).toContain('a gone');
  });

  it('continues when a listener throws', async () => {
    const harness = new Harness();
    harness.informer.listen(() => {
      throw new Error('a bug');
    });
    await harness.start();
    harness.write('POST', 'a', '1');
    harness.write('POST', 'b', '1');
    await harness.clock.settle();
    expect([Object.keys(harness.copy), harness.faults.length]).toEqual([['a', 'b'], 2]);
  });

  it('survives invalid answers', async () => {
    const harness = new Harness();
    harness.transport.trouble = ({ query }) =>
      query['watch'] === undefined
        ? { status: 200, body: { kind: 'Nonsense' } }
        : { status: 422, body: { kind: 'Status', reason: 'Invalid' } };
    harness.informer.start();
    await harness.clock.pass(minute);
    expect(harness.troubles).toContain('NotKubernetes');
    harness.transport.trouble = () => undefined;
    await harness.clock.pass(minute);
    expect(harness.informer.isSynced).toBe(true);
  });

  it('finds objects by index, and only while the value holds', async () => {
    const harness = new Harness({ indexes: { value: ({ data }) => Object.values(data ?? {}) } });
    const found = (value: string): readonly string[] =>
      harness.informer.find('value', value).map(({ metadata }) => metadata.name);
    harness.write('POST', 'a', 'x');
    harness.write('POST', 'b', 'x');
    await harness.start();
    expect(found('x')).toEqual(['a', 'b']);
    harness.write('PUT', 'a', 'y');
    harness.write('DELETE', 'b');
    await harness.clock.settle();
    expect([found('x'), found('y')]).toEqual([[], ['a']]);
  });

  it('equals the server in the end, whatever fails meanwhile', async () => {
    const name = fc.constantFrom('a', 'b', 'c');
    const step = fc.oneof(
      { weight: 4, arbitrary: fc.record({ write: fc.constantFrom('POST', 'PUT', 'DELETE'), name }) },
      { weight: 1, arbitrary: fc.record({ cut: fc.constant(true) }) },
      { weight: 1, arbitrary: fc.record({ silent: fc.boolean() }) },
      { weight: 1, arbitrary: fc.record({ refuse: fc.boolean() }) },
      { weight: 2, arbitrary: fc.record({ passMs: fc.integer({ min: 0, max: 100_000 }) }) },
    );
    await fc.assert(
      fc.asyncProperty(fc.array(step, { maxLength: 30 }), async (steps) => {
        const harness = new Harness({}, 8);
        harness.informer.start();
        let number = 0;
        for (const one of steps) {
          number += 1;
          if ('write' in one) harness.write(one.write, one.name, String(number));
          else if ('cut' in one) harness.transport.cut();
          else if ('silent' in one) harness.transport.isSilent = one.silent;
          else if ('refuse' in one) harness.transport.trouble = () => (one.refuse ? 'refused' : undefined);
          else await harness.clock.pass(one.passMs);
        }
        harness.transport.isSilent = false;
        harness.transport.trouble = () => undefined;
        await harness.clock.pass(21 * minute);
        expect(harness.copy).toEqual(harness.truth);
        await harness.informer.stop();
        expect([harness.transport.openWatches, harness.faults]).toEqual([0, []]);
      }),
      { numRuns: 60 },
    );
  });
});
