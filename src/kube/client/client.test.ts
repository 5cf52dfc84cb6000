/** The requests of a client, and which answers it accepts. */
import { describe, expect, it } from 'vitest';
import { TestClock } from '../../../lab/harness/test-clock.ts';
import { FleetError } from '../../platform/errors/fleet-error.ts';
import { RateLimit } from '../../platform/rate-limit.ts';
import { configMaps, type ConfigMap } from './builtin-resources.ts';
import { KubeClient } from './client.ts';
import type { KubeRequest, KubeResponse, KubeTransport } from './transport.ts';

const place = { namespace: 'n', name: 'a' };
const path = '/api/v1/namespaces/n/configmaps';
const object: ConfigMap = {
  apiVersion: 'v1',
  kind: 'ConfigMap',
  metadata: { ...place, uid: 'uid-a', resourceVersion: '7' },
};
const list = { apiVersion: 'v1', kind: 'ConfigMapList', metadata: { resourceVersion: '7' }, items: [] };
const status = { kind: 'Status', status: 'Success' };
const written = { fieldManager: 'test', fieldValidation: 'Strict' };

type Answer = KubeResponse | 'never';

function harness(answer: Answer, looked: Answer = answer) {
  const clock = new TestClock(Date.UTC(2026, 0, 1));
  const requests: KubeRequest[] = [];
  const signals: AbortSignal[] = [];
  const send: KubeTransport['send'] = (request, signal) => {
    requests.push(request);
    signals.push(signal);
    const said = request.method === 'GET' ? looked : answer;
    return said === 'never' ? Promise.withResolvers<KubeResponse>().promise : Promise.resolve(said);
  };
  const transport: KubeTransport = { send, stream: send, reconnect: () => undefined };
  const limit = new RateLimit(clock, { perSecond: 1000, burst: 1000 });
  const client = new KubeClient({ transport, clock, limit, fieldManager: 'test', deadlineMs: 5000 });
  return { clock, client, requests, signals };
}

async function failure(asked: Promise<unknown>): Promise<string> {
  const error: unknown = await asked.catch((caught: unknown) => caught);
  if (!(error instanceof FleetError)) throw new Error(`no failure: ${JSON.stringify(error)}`);
  return `${error.kind} ${error.reason}`;
}

type Ask = (client: KubeClient) => Promise<unknown>;

const update: Ask = (client) => client.update(configMaps, object);
const patch: Ask = (client) => client.patch(configMaps, place, { merge: { data: {} } });
const create: Ask = (client) => client.create(configMaps, { namespace: 'n' }, { metadata: { name: 'a' } });
const remove: Ask = (client) => client.delete(configMaps, place, { uid: 'uid-a', resourceVersion: '7' });
const get: Ask = (client) => client.get(configMaps, place);
const watch: Ask = (client) =>
  client.watch(configMaps, { namespace: 'n', resourceVersion: '7' }, new AbortController().signal);

describe('a client', () => {
  it.for([
    ['update', update, { method: 'PUT', path: `${path}/a`, query: written, body: object }],
    ['create', create, { method: 'POST', path, query: written, body: { metadata: { name: 'a' } } }],
    [
      'patch',
      patch,
      {
        method: 'PATCH',
        path: `${path}/a`,
        query: written,
        contentType: 'application/merge-patch+json',
        body: { data: {} },
      },
    ],
  ] as const)(
    'has the server validate every field of its %s, under its field manager',
    async ([, ask, request]) => {
      const { client, requests } = harness({ status: 200, body: object });
      expect(await ask(client)).toEqual(object);
      expect(requests).toEqual([request]);
    },
  );

  it('deletes the object that it saw and no other of that name', async () => {
    const { client, requests } = harness({ status: 200, body: status });
    await remove(client);
    expect(requests).toEqual([
      {
        method: 'DELETE',
        path: `${path}/a`,
        query: {},
        body: {
          apiVersion: 'v1',
          kind: 'DeleteOptions',
          preconditions: { uid: 'uid-a', resourceVersion: '7' },
          propagationPolicy: 'Background',
        },
      },
    ]);
  });

  it('forces an apply only on request', async () => {
    const { client, requests } = harness({ status: 200, body: object });
    await client.patch(configMaps, place, { apply: {} });
    await client.patch(configMaps, place, { apply: {}, force: true });
    expect(requests.map(({ query }) => query['force'])).toEqual([undefined, 'true']);
  });

  it('sends limit and continue of a page', async () => {
    const { client, requests } = harness({ status: 200, body: list });
    await client.listPage(configMaps, { namespace: 'n', limit: 5, continue: 'more' });
    expect(requests).toEqual([{ method: 'GET', path, query: { limit: '5', continue: 'more' } }]);
  });

  it('stops at its deadline, and aborts the request', async () => {
    const { clock, client, signals } = harness('never');
    const reported = failure(get(client));
    await clock.settle();
    await clock.pass(4999);
    expect(signals.map(({ aborted }) => aborted)).toEqual([false]);
    await clock.pass(1);
    expect(await reported).toBe('unavailable AnswerLost');
    expect(signals.map(({ aborted }) => aborted)).toEqual([true]);
  });

  it('leaves no timer behind', async () => {
    const { clock, client } = harness({ status: 200, body: object });
    await get(client);
    expect(clock.pending).toBe(0);
  });

  it('waits for the rate limiter', async () => {
    const { clock, client, requests } = harness({ status: 200, body: object });
    const all = Promise.all(Array.from({ length: 1500 }, () => get(client)));
    await clock.settle();
    expect(requests).toHaveLength(1000);
    await clock.pass(500);
    expect(requests).toHaveLength(1500);
    await all;
  });
});

const missing = { kind: 'Status', reason: 'NotFound', details: { name: 'a', kind: 'configmaps' } };

describe('a lookup of an object', () => {
  it('finds none when Kubernetes reports it gone', async () => {
    const { client } = harness({ status: 404, body: missing });
    expect(await client.find(configMaps, place)).toBeUndefined();
  });

  it('fails on the 404 of a proxy', async () => {
    const { client } = harness({ status: 404, body: { message: '<html>nginx' } });
    expect(await failure(client.find(configMaps, place))).toBe('unavailable NotKubernetes');
  });
});

describe('an answer about another object is an error', () => {
  const other: ConfigMap = { ...object, metadata: { ...object.metadata, name: 'b' } };
  it.for([
    ['get', get, other],
    ['update', update, other],
    ['patch', patch, other],
    ['create', create, other],
    ['delete', remove, {}],
    ['list', (client: KubeClient) => client.listPage(configMaps, {}), { ...list, kind: 'PodList' }],
  ] as const)('to %s', async ([, ask, body]) => {
    expect(await failure(ask(harness({ status: 200, body }).client))).toBe('unavailable NotKubernetes');
  });

  it('but the server may complete a generated name', async () => {
    const { client } = harness({ status: 201, body: object });
    const named = (generateName: string) =>
      client.create(configMaps, { namespace: 'n' }, { metadata: { generateName } });
    expect(await named('a')).toEqual(object);
    expect(await failure(named('b'))).toBe('unavailable NotKubernetes');
  });
});

describe('an answer to a deletion', () => {
  const going = { ...object, metadata: { ...object.metadata, deletionTimestamp: '2026-01-01T00:00:00Z' } };
  const overtaken = { ...going, metadata: { ...going.metadata, resourceVersion: undefined } };
  it.for<readonly [string, number, unknown]>([
    ['that it is gone', 200, status],
    ['that it will be', 202, status],
    ['with the object on its way out', 200, going],
    ['with the object that will be', 202, going],
    ['with an object that was removed concurrently', 200, overtaken],
  ])('%s needs no read', async ([, code, body]) => {
    const { client, requests } = harness({ status: code, body });
    await remove(client);
    expect(requests).toHaveLength(1);
  });

  const odd = { status: 200, body: { ...object, kind: 'Secret' } };
  const successor = { ...object, metadata: { ...object.metadata, uid: 'uid-b' } };
  it.for<readonly [string, KubeResponse, string]>([
    ['and it is gone', { status: 404, body: missing }, 'done'],
    ['and it is being deleted', { status: 200, body: going }, 'done'],
    ['and another one has its name', { status: 200, body: successor }, 'done'],
    ['and it stays', { status: 200, body: object }, 'unavailable NotKubernetes'],
    ['and the read fails', { status: 503, body: {} }, 'unavailable Http503'],
  ])('that is about another object leads to a read: %s', async ([, looked, reported]) => {
    const { client, requests } = harness(odd, looked);
    expect(reported === 'done' ? ((await remove(client)) ?? 'done') : await failure(remove(client))).toBe(
      reported,
    );
    expect(requests.map(({ method }) => method)).toEqual(['DELETE', 'GET']);
  });
});

it('a creation in a missing namespace fails as gone', async () => {
  const body = { ...missing, details: { name: 'n', kind: 'namespaces' } };
  expect(await failure(create(harness({ status: 404, body }).client))).toBe('gone NotFound');
});

it('a refused watch fails with the reason', async () => {
  const body = { kind: 'Status', reason: 'Expired' };
  expect(await failure(watch(harness({ status: 410, body }).client))).toBe('conflict Expired');
});
