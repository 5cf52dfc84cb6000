import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { EmbeddedTransport } from '../../../test/embedded-transport.ts';
import { TestClock } from '../../../test/test-clock.ts';
import { ownIdentity as identity } from '../../apiserver/auth/identity.ts';
import { ApiServer } from '../../apiserver/server.ts';
import { FleetError } from '../../errors/fleet-error.ts';
import { configMaps, type ConfigMap } from '../kube/builtin-resources.ts';
import { KubeClient } from '../kube/client.ts';
import { RateLimit } from '../rate-limit.ts';
import { Informer, type InformerOptions } from './informer.ts';

const path = '/api/v1/namespaces/default/configmaps';
const minute = 60_000;

class Stand {
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

function lists({ transport }: Stand): number {
  return transport.requests.filter(({ query }) => query['watch'] === undefined).length;
}

/** Watches that began with everything there is. */
function wholes({ transport }: Stand): number {
  return transport.requests.filter(({ query }) => query['sendInitialEvents'] === 'true').length;
}

describe('an informer', () => {
  it('has everything once it is synced, and then every change', async () => {
    const stand = new Stand();
    stand.write('POST', 'a', '1');
    await stand.start();
    expect(stand.taken()).toEqual(['a new']);
    stand.write('POST', 'b', '1');
    stand.write('PUT', 'a', '2');
    stand.write('DELETE', 'b');
    await stand.clock.settle();
    expect(stand.taken()).toEqual(['b new', 'a changed', 'b gone']);
    expect(stand.copy).toEqual({ a: '2' });
    await stand.informer.stop();
    await stand.clock.pass(0);
    expect([stand.transport.openWatches, stand.clock.pending]).toEqual([0, 0]);
  });

  it('that is told to stop while it lists begins no watch', async () => {
    const stand = new Stand();
    const refused = { status: 422, body: { kind: 'Status', reason: 'Invalid' } };
    stand.transport.trouble = ({ query }) => (query['sendInitialEvents'] === 'true' ? refused : undefined);
    const listed = Promise.withResolvers<void>();
    const send = stand.transport.send.bind(stand.transport);
    stand.transport.send = async (request) => {
      await listed.promise;
      return send(request);
    };
    stand.informer.start();
    await stand.clock.settle();
    const stopped = stand.informer.stop();
    listed.resolve();
    await stand.clock.pass(0);
    expect([stand.transport.openWatches, stand.clock.pending]).toEqual([0, 0]);
    await stopped;
  });

  it('is not synced before it has everything', async () => {
    const stand = new Stand();
    stand.transport.trouble = () => 'refused';
    stand.informer.start();
    await stand.clock.pass(minute);
    expect(stand.informer.isSynced).toBe(false);
    stand.transport.trouble = () => undefined;
    await stand.clock.pass(minute);
    expect(stand.informer.isSynced).toBe(true);
  });

  it('goes on from where a broken watch ended, without a new list and without telling anything twice', async () => {
    const stand = new Stand();
    stand.write('POST', 'a', '1');
    await stand.start();
    stand.transport.cut();
    stand.write('POST', 'b', '1');
    await stand.clock.pass(minute);
    expect(stand.taken()).toEqual(['a new', 'b new']);
    const watches = stand.transport.requests.map(({ query }) => query['resourceVersion'] !== undefined);
    expect(watches).toEqual([false, true]);
  });

  it('finds what it missed by a fresh list when the server has forgotten, deletions included', async () => {
    const stand = new Stand({}, 5);
    for (const name of ['a', 'b']) stand.write('POST', name, '1');
    await stand.start();
    stand.taken();
    stand.transport.trouble = () => 'refused';
    stand.transport.cut();
    stand.write('DELETE', 'a');
    for (let number = 2; number < 12; number += 1) stand.write('PUT', 'b', String(number));
    await stand.clock.pass(minute);
    stand.transport.trouble = () => undefined;
    await stand.clock.pass(minute);
    expect(stand.taken()).toEqual(['a gone', 'b changed']);
    expect(stand.troubles).toContain('Expired');
    expect(stand.copy).toEqual({ b: '11' });
  });

  it('notices a watch that says nothing, and replaces it', async () => {
    const stand = new Stand();
    await stand.start();
    stand.transport.isSilent = true;
    stand.write('POST', 'unheard', '1');
    await stand.clock.pass(80_000);
    expect([stand.copy, stand.informer.ageMs >= 80_000]).toEqual([{}, true]);
    stand.transport.isSilent = false;
    await stand.clock.pass(20_000);
    expect(stand.copy).toEqual({ unheard: '1' });
    expect([stand.troubles, stand.transport.reconnects]).toEqual([['SilentWatch'], 1]);
  });

  it('compares itself with a fresh list from time to time, and finds what no watch told', async () => {
    const stand = new Stand({ relistMs: 10 * minute });
    await stand.start();
    stand.transport.isSilent = true;
    stand.write('POST', 'unheard', '1');
    await stand.clock.settle();
    stand.transport.isSilent = false;
    stand.write('POST', 'heard', '1');
    await stand.clock.settle();
    expect(stand.copy).toEqual({ heard: '1' });
    await stand.clock.pass(20 * minute);
    expect(stand.copy).toEqual({ heard: '1', unheard: '1' });
  });

  it('waits longer while nothing works, asks no more often than it must, and never gives up', async () => {
    const stand = new Stand();
    stand.transport.trouble = () => ({ status: 503, body: {} });
    stand.informer.start();
    await stand.clock.pass(60 * minute);
    const asked = stand.transport.requests.length;
    expect(asked).toBeGreaterThan(60);
    expect(asked).toBeLessThan(250);
    stand.transport.trouble = () => undefined;
    await stand.clock.pass(minute);
    expect(stand.informer.isSynced).toBe(true);
  });

  it('is not drawn into a loop by a server that ends every watch at once', async () => {
    const stand = new Stand();
    await stand.start();
    stand.transport.onOpen = (end) => end();
    stand.transport.cut();
    await stand.clock.pass(60 * minute);
    expect(stand.transport.requests.length).toBeLessThan(250);
    expect(stand.troubles.filter((reason) => reason === 'ShortWatch').length).toBeGreaterThan(100);
    stand.transport.onOpen = () => undefined;
    stand.write('POST', 'a', '1');
    await stand.clock.pass(minute);
    expect(stand.copy).toEqual({ a: '1' });
  });

  it.for(['Expired', 'Gone'])(
    'is not drawn into a loop by a server that lists and calls what it listed %s',
    async (reason) => {
      const stand = new Stand();
      stand.transport.trouble = ({ query }) =>
        query['sendInitialEvents'] !== undefined
          ? { status: 422, body: { kind: 'Status', reason: 'Invalid' } }
          : query['watch'] === undefined
            ? undefined
            : { status: 410, body: { kind: 'Status', reason } };
      stand.informer.start();
      await stand.clock.settle();
      // The first time there is nothing to wait for: the next list may be all that is needed.
      expect(lists(stand)).toBe(2);
      await stand.clock.pass(60 * minute);
      expect(lists(stand)).toBeLessThan(250);
      stand.transport.trouble = () => undefined;
      stand.write('POST', 'a', '1');
      await stand.clock.pass(minute);
      expect(stand.copy).toEqual({ a: '1' });
    },
  );

  it.for([
    ['told of a change', (stand: Stand) => stand.write('POST', 'a', '1')],
    ['lived for some seconds', (stand: Stand) => stand.clock.pass(5000)],
  ] as const)('waits only a moment again after a watch that %s', async ([, live]) => {
    const stand = new Stand();
    await stand.start();
    stand.transport.trouble = () => 'refused';
    stand.transport.cut();
    await stand.clock.pass(10 * minute);
    stand.transport.trouble = () => undefined;
    while (stand.transport.openWatches === 0) await stand.clock.next();
    await live(stand);
    await stand.clock.settle();
    stand.transport.cut();
    await stand.clock.settle();
    expect(stand.transport.openWatches).toBe(0);
    await stand.clock.pass(500);
    expect(stand.transport.openWatches).toBe(1);
  });

  it('does not wait only a moment after a watch that broke at once', async () => {
    const stand = new Stand();
    await stand.start();
    stand.transport.trouble = () => 'refused';
    stand.transport.cut();
    await stand.clock.pass(10 * minute);
    stand.transport.trouble = () => undefined;
    while (stand.transport.openWatches === 0) await stand.clock.next();
    stand.transport.cut();
    await stand.clock.settle();
    await stand.clock.pass(10_000);
    expect(stand.transport.openWatches).toBe(0);
  });

  it('that is not allowed to watch asks again in the same way', async () => {
    const stand = new Stand();
    stand.transport.trouble = () => ({ status: 403, body: { kind: 'Status', reason: 'Forbidden' } });
    stand.informer.start();
    await stand.clock.pass(minute);
    stand.transport.trouble = () => undefined;
    await stand.clock.pass(minute);
    expect([stand.informer.isSynced, lists(stand)]).toEqual([true, 0]);
  });

  it('that is started twice runs once', async () => {
    const stand = new Stand();
    stand.informer.start();
    await stand.start();
    expect([stand.transport.openWatches, stand.transport.requests.length]).toEqual([1, 1]);
  });

  it('tells nothing when a fresh list shows what it knows', async () => {
    const stand = new Stand({ relistMs: minute });
    stand.write('POST', 'a', '1');
    await stand.start();
    expect(stand.taken()).toEqual(['a new']);
    await stand.clock.pass(60 * minute);
    expect(wholes(stand)).toBeGreaterThan(5);
    expect(stand.taken()).toEqual([]);
  });

  it('that is told to stop ends a list without an end, and asks for nothing more', async () => {
    const stand = new Stand();
    let page = 0;
    const listed: PromiseWithResolvers<void>[] = [];
    stand.transport.trouble = () => ({ status: 422, body: { kind: 'Status', reason: 'Invalid' } });
    stand.transport.send = async () => {
      page += 1;
      const gate = Promise.withResolvers<void>();
      listed.push(gate);
      await gate.promise;
      const metadata = { resourceVersion: '101', continue: String(page) };
      return { status: 200, body: { apiVersion: 'v1', kind: 'ConfigMapList', metadata, items: [] } };
    };
    stand.informer.start();
    await stand.clock.settle();
    listed[0]?.resolve();
    await stand.clock.settle();
    const stopped = stand.informer.stop();
    listed[1]?.resolve();
    await stopped;
    expect([page, stand.transport.requests.length, stand.transport.openWatches]).toEqual([2, 1, 0]);
  });

  it('that is told to stop while a watch is being opened closes it', async () => {
    const stand = new Stand();
    const stream = stand.transport.stream.bind(stand.transport);
    const gate = Promise.withResolvers<void>();
    stand.transport.stream = async (request, signal) => {
      await gate.promise;
      return stream(request, signal);
    };
    stand.informer.start();
    await stand.clock.settle();
    const stopped = stand.informer.stop();
    gate.resolve();
    await stopped;
    await stand.clock.pass(0);
    expect([stand.transport.openWatches, stand.clock.pending]).toEqual([0, 0]);
  });

  it('counts a list as a word of the server', async () => {
    const stand = new Stand();
    stand.transport.trouble = () => ({ status: 422, body: { kind: 'Status', reason: 'Invalid' } });
    stand.informer.start();
    await stand.clock.pass(minute);
    expect(stand.informer.ageMs).toBe(minute);
    stand.transport.trouble = ({ query }) => (query['watch'] === undefined ? undefined : 'refused');
    while (!stand.informer.isSynced) await stand.clock.next();
    expect(stand.informer.ageMs).toBe(0);
  });

  it('gives up on a list that begins again and again', async () => {
    const stand = new Stand();
    const metadata = { resourceVersion: '101', continue: 'again' };
    stand.transport.trouble = ({ query }) =>
      query['watch'] === undefined
        ? { status: 200, body: { apiVersion: 'v1', kind: 'ConfigMapList', metadata, items: [] } }
        : { status: 422, body: { kind: 'Status', reason: 'Invalid' } };
    stand.informer.start();
    await stand.clock.pass(minute);
    expect(new Set(stand.troubles)).toEqual(new Set(['Invalid', 'EndlessList']));
    expect(lists(stand)).toBeLessThan(30);
    expect(stand.informer.isSynced).toBe(false);
  });

  it('goes on with nothing but a failure of its credentials', async () => {
    const stand = new Stand();
    const none = new FleetError('unavailable', { reason: 'NoCredentials', message: 'the disk is gone' });
    const stream = stand.transport.stream.bind(stand.transport);
    stand.transport.stream = () => Promise.reject(none);
    stand.informer.start();
    await stand.clock.pass(minute);
    expect(new Set(stand.troubles)).toEqual(new Set(['NoCredentials']));
    stand.transport.stream = stream;
    await stand.clock.pass(minute);
    expect(stand.informer.isSynced).toBe(true);
  });

  it('keeps what it has when a stranger answers in place of the server', async () => {
    const stand = new Stand({ relistMs: minute });
    stand.write('POST', 'a', '1');
    await stand.start();
    stand.taken();
    const pods = { apiVersion: 'v1', kind: 'PodList', metadata: { resourceVersion: '999' }, items: [] };
    stand.transport.trouble = ({ query }) =>
      query['watch'] === undefined
        ? { status: 200, body: pods }
        : { status: 422, body: { kind: 'Status', reason: 'Invalid' } };
    stand.transport.cut();
    await stand.clock.pass(10 * minute);
    expect([stand.copy, stand.taken()]).toEqual([{ a: '1' }, []]);
    expect(stand.troubles).toContain('NotKubernetes');
  });

  it('waits as long as a throttling server asks', async () => {
    const stand = new Stand();
    stand.transport.trouble = () => ({ status: 429, retryAfterSeconds: 20, body: {} });
    stand.informer.start();
    await stand.clock.pass(59_000);
    expect(stand.transport.requests).toHaveLength(3);
    await stand.informer.stop();
  });

  it('lists page by page where a server does not stream a list', async () => {
    const stand = new Stand();
    for (let number = 0; number < 3; number += 1) stand.write('POST', `c-${number}`, '1');
    stand.transport.trouble = ({ query }) =>
      query['sendInitialEvents'] === undefined
        ? undefined
        : {
            status: 422,
            body: { kind: 'Status', reason: 'Invalid', message: 'sendInitialEvents is forbidden' },
          };
    await stand.start();
    expect(Object.keys(stand.copy)).toEqual(['c-0', 'c-1', 'c-2']);
    stand.write('POST', 'd', '1');
    await stand.clock.settle();
    expect(Object.keys(stand.copy)).toContain('d');
  });

  it('does not go back in time when one server lags behind another, but follows one that was restored', async () => {
    const stand = new Stand({ relistMs: 1 });
    stand.write('POST', 'a', '1');
    await stand.start();
    const old = { apiVersion: 'v1', kind: 'ConfigMapList', metadata: { resourceVersion: '101' }, items: [] };
    stand.transport.trouble = ({ query }) =>
      query['sendInitialEvents'] !== undefined
        ? { status: 422, body: { kind: 'Status', reason: 'Invalid' } }
        : query['watch'] === undefined
          ? { status: 200, body: old }
          : undefined;
    stand.write('PUT', 'a', '2');
    await stand.clock.settle();
    stand.transport.cut();
    await stand.clock.pass(1000);
    expect([stand.copy, stand.troubles.at(-1)]).toEqual([{ a: '2' }, 'OutdatedList']);
    expect(stand.taken()).not.toContain('a gone');
    await stand.clock.pass(minute);
    expect(stand.taken()).toContain('a gone');
  });

  it('goes on when a listener throws', async () => {
    const stand = new Stand();
    stand.informer.listen(() => {
      throw new Error('a fault of ours');
    });
    await stand.start();
    stand.write('POST', 'a', '1');
    stand.write('POST', 'b', '1');
    await stand.clock.settle();
    expect([Object.keys(stand.copy), stand.faults.length]).toEqual([['a', 'b'], 2]);
  });

  it('outlives a server that talks nonsense', async () => {
    const stand = new Stand();
    stand.transport.trouble = ({ query }) =>
      query['watch'] === undefined
        ? { status: 200, body: { kind: 'Nonsense' } }
        : { status: 422, body: { kind: 'Status', reason: 'Invalid' } };
    stand.informer.start();
    await stand.clock.pass(minute);
    expect(stand.troubles).toContain('NotKubernetes');
    stand.transport.trouble = () => undefined;
    await stand.clock.pass(minute);
    expect(stand.informer.isSynced).toBe(true);
  });

  it('finds objects by what they are indexed by, and only as long as it is true', async () => {
    const stand = new Stand({ indexes: { value: ({ data }) => Object.values(data ?? {}) } });
    const found = (value: string): readonly string[] =>
      stand.informer.find('value', value).map(({ metadata }) => metadata.name);
    stand.write('POST', 'a', 'x');
    stand.write('POST', 'b', 'x');
    await stand.start();
    expect(found('x')).toEqual(['a', 'b']);
    stand.write('PUT', 'a', 'y');
    stand.write('DELETE', 'b');
    await stand.clock.settle();
    expect([found('x'), found('y')]).toEqual([[], ['a']]);
  });

  it('equals the server in the end, whatever breaks on the way', async () => {
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
        const stand = new Stand({}, 8);
        stand.informer.start();
        let number = 0;
        for (const one of steps) {
          number += 1;
          if ('write' in one) stand.write(one.write, one.name, String(number));
          else if ('cut' in one) stand.transport.cut();
          else if ('silent' in one) stand.transport.isSilent = one.silent;
          else if ('refuse' in one) stand.transport.trouble = () => (one.refuse ? 'refused' : undefined);
          else await stand.clock.pass(one.passMs);
        }
        stand.transport.isSilent = false;
        stand.transport.trouble = () => undefined;
        await stand.clock.pass(21 * minute);
        expect(stand.copy).toEqual(stand.truth);
        await stand.informer.stop();
        expect([stand.transport.openWatches, stand.faults]).toEqual([0, []]);
      }),
      { numRuns: 60 },
    );
  });
});
