/** The client reads the answers of a real kube-apiserver correctly. */
import { expect, it } from 'vitest';
import { startKubeFrom } from '../../../test/reference/bring-up.ts';
import { describeIntegration, type Harness } from '../../../test/reference/describe-integration.ts';
import { wallClock as clock } from '../../../lab/harness/wall-clock.ts';
import { isFleetError } from '../../platform/errors/fleet-error.ts';
import { RateLimit } from '../../platform/rate-limit.ts';
import { Secret } from '../../platform/secret.ts';
import { configMaps, nodes, pods, serviceAccounts } from './builtin-resources.ts';
import { KubeClient } from './client.ts';
import { fixed } from './credential-sources.ts';
import { HttpTransport } from './http-transport.ts';
import type { Resource } from './kube-object.ts';

const inDefault = { namespace: 'default' };
const missing = { namespace: 'default', name: 'missing' };
const unknown: Resource = { ...configMaps, group: 'example.com', plural: 'unknowns', kind: 'Unknown' };

async function setUp({ bench, workplace }: Harness) {
  const kube = await startKubeFrom(bench, { workplace });
  const { certificate: pem, key } = await kube.authority.client('someone', ['system:masters']);
  const connection = {
    server: kube.url,
    authority: kube.authority.certificate,
    credentials: fixed({ certificate: { pem, key: new Secret(key) } }),
  };
  const transport = new HttpTransport({ connection, userAgent: 'muster/test', now: () => clock.now() });
  const limit = new RateLimit(clock, { perSecond: 1000, burst: 1000 });
  return { client: new KubeClient({ transport, clock, limit, fieldManager: 'test' }) };
}

async function failure(asked: Promise<unknown>): Promise<string> {
  try {
    await asked;
    return 'done';
  } catch (error) {
    if (isFleetError(error)) return `${error.kind} ${error.reason}`;
    throw error;
  }
}

await describeIntegration({ name: 'a client of kube-apiserver', by: 'kube', setUp }, (given) => {
  it('reads that an object is gone', async () => {
    const { client } = given();
    expect(await client.find(configMaps, missing)).toBeUndefined();
    expect(await client.find(configMaps, { namespace: 'nowhere', name: 'missing' })).toBeUndefined();
    expect(await client.find(nodes, { name: 'missing' })).toBeUndefined();
    expect(await failure(client.delete(configMaps, missing, { uid: 'x' }))).toBe('gone NotFound');
    expect(await failure(client.patch(configMaps, missing, { merge: {} }))).toBe('gone NotFound');
    expect(await failure(client.patch(configMaps, missing, { json: [] }))).toBe('gone NotFound');
  });

  it('does not take an unknown resource or namespace for a missing object', async () => {
    const { client } = given();
    expect(await failure(client.get(unknown, missing))).toMatch(/^unavailable /);
    const apply = { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'a' } };
    const asked = client.patch(configMaps, { namespace: 'nowhere', name: 'a' }, { apply });
    expect(await failure(asked)).toBe('unavailable NotFound');
  });

  it('accepts every answer to its writes', async () => {
    const { client } = given();
    const metadata = { generateName: 'a-', finalizers: ['example.com/ours'] };
    const created = await client.create(configMaps, inDefault, { metadata });
    const place = { ...inDefault, name: created.metadata.name };
    const updated = await client.update(configMaps, { ...created, data: { a: '1' } });
    const patched = await client.patch(configMaps, place, { merge: { data: { b: '2' } } });
    expect([updated.data, patched.data]).toEqual([{ a: '1' }, { a: '1', b: '2' }]);
    const page = await client.listPage(configMaps, { ...inDefault, limit: 500 });
    expect(page.items.map(({ metadata: { uid } }) => uid)).toContain(created.metadata.uid);
    await client.delete(configMaps, place, { uid: created.metadata.uid });
    expect((await client.get(configMaps, place)).metadata.deletionTimestamp).toBeDefined();
    await client.patch(configMaps, place, { merge: { metadata: { finalizers: null } } });
    expect(await client.find(configMaps, place)).toBeUndefined();
    const short = await client.create(configMaps, inDefault, { metadata: { name: 'short' } });
    await client.delete(configMaps, { ...inDefault, name: 'short' }, { uid: short.metadata.uid });
    expect(await failure(client.create(configMaps, { namespace: 'nowhere' }, { metadata }))).toBe(
      'gone NotFound',
    );
  });

  it('reads the answer to the deletion of a Pod, also when its Node removes the Pod concurrently', async () => {
    const { client } = given();
    const name = 'of-pods';
    await client.create(serviceAccounts, inDefault, { metadata: { name } });
    const spec = {
      serviceAccountName: name,
      automountServiceAccountToken: false,
      nodeName: 'some-node',
      containers: [{ name: 'main', image: 'example.com/image' }],
    };
    const answers = new Set<string>();
    for (let index = 0; index < 60; index += 1) {
      const { metadata } = await client.create(pods, inDefault, { metadata: { generateName: 'a-' }, spec });
      const place = { ...inDefault, name: metadata.name };
      const { uid } = metadata;
      const deletions = [{ uid }, { uid, graceSeconds: 0 }, { uid }, { uid, graceSeconds: 0 }];
      const asked = deletions.map(async (deletion) => failure(client.delete(pods, place, deletion)));
      for (const answer of await Promise.all(asked)) answers.add(answer);
      expect(await client.find(pods, place)).toBeUndefined();
    }
    expect(
      [...answers].filter((answer) => answer !== 'gone NotFound' && answer !== 'conflict Conflict'),
    ).toEqual(['done']);
  });

  it('reads conflicts', async () => {
    const { client } = given();
    const first = await client.create(configMaps, inDefault, { metadata: { name: 'raced' } });
    await client.update(configMaps, { ...first, data: { a: '1' } });
    expect(await failure(client.update(configMaps, { ...first, data: { a: '2' } }))).toBe(
      'conflict Conflict',
    );
    const again = client.create(configMaps, inDefault, { metadata: { name: 'raced' } });
    expect(await failure(again)).toBe('conflict AlreadyExists');
    const place = { ...inDefault, name: 'raced' };
    expect(await failure(client.delete(configMaps, place, { uid: 'another' }))).toBe('conflict Conflict');
  });
});
