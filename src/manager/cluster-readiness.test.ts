import { expect, it } from 'vitest';
import { TestClock } from '../../lab/harness/test-clock.ts';
import type { MachineObject } from '../hosts/state/objects.ts';
import type { ClusterObject, ClusterVersion, FoundCluster } from '../hosts/state/cluster-objects.ts';
import type { Place } from '../kube/client/kube-object.ts';
import { ClusterReadinessCache } from './cluster-readiness.ts';

const clock = new TestClock(Date.UTC(2026, 0, 1));
type Fields = Omit<ClusterObject, 'metadata'>;
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

/** Reads the Cluster that the test sets; undefined for none. */
function harness(cluster: () => Fields | undefined, version: ClusterVersion = 'v1beta2') {
  const asked: string[] = [];
  const find = ({ name = '' }: Place): Promise<FoundCluster | undefined> => {
    asked.push(name);
    const fields = cluster();
    const metadata = { name, namespace: 'ci', uid: 'c', resourceVersion: '1' };
    return Promise.resolve(fields && { version, object: { metadata, ...fields } });
  };
  return { readiness: new ClusterReadinessCache({ find }, () => clock.now()), asked };
}

const provisioned = { status: { initialization: { infrastructureProvisioned: true } } };

it.for([
  ['is provisioned', provisioned, 'ready'],
  ['is not provisioned yet', {}, 'not-ready'],
  ['is paused, provisioned or not', { ...provisioned, spec: { paused: true } }, 'paused'],
  ['is missing', undefined, 'not-ready'],
] as const)('under a Cluster that %s: %s', async ([, cluster, expected]) => {
  expect(await harness(() => cluster).readiness.of(machine(), 'remembered')).toBe(expected);
});

it('under a Cluster of the older version, by its older field', async () => {
  expect(await harness(() => provisioned, 'v1beta1').readiness.of(machine(), 'fresh')).toBe('not-ready');
  const ready = { status: { infrastructureReady: true } };
  expect(await harness(() => ready, 'v1beta1').readiness.of(machine(), 'fresh')).toBe('ready');
  expect(await harness(() => ready).readiness.of(machine(), 'fresh')).toBe('not-ready');
});

it('a machine without a Cluster sends no request', async () => {
  const { readiness, asked } = harness(() => undefined);
  expect(await readiness.of(machine({ labels: {} }), 'fresh')).toBe('ready');
  expect(asked).toEqual([]);
});

it('a machine that names a Cluster waits until a Machine owns it', async () => {
  const { readiness } = harness(() => provisioned);
  expect(await readiness.of(machine({ ownerReferences: [] }), 'fresh')).toBe('not-ready');
  const set = { ...owner, kind: 'MachineSet' };
  expect(await readiness.of(machine({ ownerReferences: [set] }), 'fresh')).toBe('not-ready');
  expect(await readiness.of(machine({ ownerReferences: [set, owner] }), 'fresh')).toBe('ready');
});

it('many machines share one read, but a machine about to take a host reads again', async () => {
  const now = { cluster: provisioned as Fields };
  const { readiness, asked } = harness(() => now.cluster);
  for (let times = 0; times < 5; times += 1) await readiness.of(machine(), 'remembered');
  expect(asked).toHaveLength(1);
  now.cluster = { ...provisioned, spec: { paused: true } };
  expect(await readiness.of(machine(), 'remembered')).toBe('ready');
  expect(await readiness.of(machine(), 'fresh')).toBe('paused');
});

it('a Cluster that was not ready is read again soon', async () => {
  const now = { cluster: {} as Fields };
  const { readiness } = harness(() => now.cluster);
  expect(await readiness.of(machine(), 'remembered')).toBe('not-ready');
  now.cluster = provisioned;
  clock.jump(4000);
  expect(await readiness.of(machine(), 'remembered')).toBe('ready');
});
