import { expect, it } from 'vitest';
import { EmbeddedTransport } from '../../test/embedded-transport.ts';
import { TestClock } from '../../test/test-clock.ts';
import type { MachineObject } from '../fleet/objects.ts';
import { ApiServer } from '../apiserver/server.ts';
import { KubeClient } from '../runtime/kube/client.ts';
import { RateLimit } from '../runtime/rate-limit.ts';
import { ClusterGate } from './cluster-gate.ts';

const clock = new TestClock(Date.UTC(2026, 0, 1));
const owner = { apiVersion: 'cluster.x-k8s.io/v1beta2', kind: 'Machine', name: 'm', uid: 'u' };

function machine(more: Partial<MachineObject['metadata']> = {}): MachineObject {
  const labels = { 'cluster.x-k8s.io/cluster-name': 'fleet' };
  const metadata = {
    name: 'm',
    namespace: 'ci',
    uid: 'u1',
    resourceVersion: '1',
    labels,
    ownerReferences: [owner],
  };
  return { metadata: { ...metadata, ...more } };
}

/** A gate whose Cluster is what the test says; undefined where there is none. */
function stand(cluster: () => object | undefined) {
  const server = new ApiServer({ clock, random: { next: () => 0.5 }, tokenSecret: new Uint8Array(32) });
  const transport = new EmbeddedTransport(server);
  const metadata = { name: 'fleet', namespace: 'ci', uid: 'c', resourceVersion: '1' };
  transport.trouble = () => {
    const fields = cluster();
    if (fields !== undefined)
      return {
        status: 200,
        body: { apiVersion: 'cluster.x-k8s.io/v1beta2', kind: 'Cluster', metadata, ...fields },
      };
    const details = { name: 'fleet', kind: 'clusters' };
    return {
      status: 404,
      body: { kind: 'Status', apiVersion: 'v1', status: 'Failure', reason: 'NotFound', details },
    };
  };
  const limit = new RateLimit(clock, { perSecond: 100, burst: 100 });
  const client = new KubeClient({ transport, clock, limit, fieldManager: 'test' });
  return { gate: new ClusterGate(client, () => clock.now()), transport };
}

const provisioned = { status: { initialization: { infrastructureProvisioned: true } } };

it.for([
  ['is provisioned', provisioned, 'open'],
  ['is not provisioned yet', {}, 'not-ready'],
  ['is paused, provisioned or not', { ...provisioned, spec: { paused: true } }, 'paused'],
  ['is missing', undefined, 'not-ready'],
] as const)('below a Cluster that %s: %s', async ([, cluster, expected]) => {
  expect(await stand(() => cluster).gate.of(machine(), 'remembered')).toBe(expected);
});

it('a machine that stands alone asks nobody', async () => {
  const { gate, transport } = stand(() => undefined);
  expect(await gate.of(machine({ ownerReferences: [] }), 'fresh')).toBe('open');
  expect(await gate.of(machine({ labels: {} }), 'fresh')).toBe('open');
  expect(transport.requests).toEqual([]);
});

it('many machines ask once, but whoever is about to take something asks again', async () => {
  const now = { cluster: provisioned as object };
  const { gate, transport } = stand(() => now.cluster);
  for (let times = 0; times < 5; times += 1) await gate.of(machine(), 'remembered');
  expect(transport.requests).toHaveLength(1);
  now.cluster = { ...provisioned, spec: { paused: true } };
  expect(await gate.of(machine(), 'remembered')).toBe('open');
  expect(await gate.of(machine(), 'fresh')).toBe('paused');
});
