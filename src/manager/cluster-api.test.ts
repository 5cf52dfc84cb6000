/** Finds Clusters in whichever versions the server has, or none. */
import { expect, it } from 'vitest';
import { TestClock } from '../../lab/harness/test-clock.ts';
import { KubeClient } from '../kube/client/client.ts';
import type { KubeResponse, KubeTransport } from '../kube/client/transport.ts';
import { RateLimit } from '../platform/rate-limit.ts';
import { ClusterApi } from './cluster-api.ts';

const place = { namespace: 'ci', name: 'fleet' };

function harness() {
  const clock = new TestClock(Date.UTC(2026, 0, 1));
  const paths: string[] = [];
  const server: { versions: readonly string[]; groups?: object } = { versions: [] };
  const answer = (path: string): KubeResponse => {
    if (path === '/apis') return { status: 200, body: server.groups ?? groupList(server.versions) };
    const version = /v1beta\d/.exec(path)?.[0] ?? '';
    if (!server.versions.includes(version)) return { status: 404, body: 'no such page' };
    const metadata = { ...place, uid: 'u', resourceVersion: '1' };
    return { status: 200, body: { apiVersion: `cluster.x-k8s.io/${version}`, kind: 'Cluster', metadata } };
  };
  const send: KubeTransport['send'] = ({ path }) => {
    paths.push(path);
    return Promise.resolve(answer(path));
  };
  const transport: KubeTransport = { send, stream: send, reconnect: () => undefined };
  const limit = new RateLimit(clock, { perSecond: 100, burst: 100 });
  const client = new KubeClient({ transport, clock, limit, fieldManager: 'test' });
  return { clock, paths, server, api: new ClusterApi(client, () => clock.now()) };
}

function groupList(versions: readonly string[]) {
  const group = { name: 'cluster.x-k8s.io', versions: versions.map((version) => ({ version })) };
  return {
    kind: 'APIGroupList',
    groups: [{ name: 'apps', versions: [{ version: 'v1' }] }, ...(versions.length > 0 ? [group] : [])],
  };
}

it.for([
  [['v1beta1'], 'v1beta1'],
  [['v1beta1', 'v1beta2'], 'v1beta2'],
  [['v1beta3'], undefined],
  [[], undefined],
] as const)('of the versions %s it uses %s', async ([versions, expected]) => {
  const { api, server } = harness();
  server.versions = versions;
  expect((await api.find(place))?.version).toBe(expected);
});

it('without Cluster API no Cluster is requested, and once installed, it is found', async () => {
  const { api, server, paths, clock } = harness();
  for (let times = 0; times < 3; times += 1) await api.find(place);
  expect(paths).toEqual(['/apis']);
  server.versions = ['v1beta2'];
  clock.jump(60_000);
  expect((await api.find(place))?.object.metadata.uid).toBe('u');
});

it('an answer that is no list of API groups is a failure', async () => {
  const { api, server } = harness();
  server.groups = { kind: 'Other' };
  await expect(api.find(place)).rejects.toMatchObject({ kind: 'unavailable' });
});
