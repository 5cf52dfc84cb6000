/** Nodes and Pods like in a fleet of runners, written by several managers so that their managedFields are realistic. */
import type { KubeClient } from '../src/kube/client/client.ts';
import type { KubeObject, Resource } from '../src/kube/client/kube-object.ts';

export const nodes: Resource = { group: '', version: 'v1', plural: 'nodes', kind: 'Node', namespaced: false };
export const pods: Resource = { group: '', version: 'v1', plural: 'pods', kind: 'Pod', namespaced: true };
const accounts: Resource = { ...pods, plural: 'serviceaccounts', kind: 'ServiceAccount' };
/** Owners of the Pods: an owner must exist, or its Pods are collected. */
const pools: Resource = { ...pods, plural: 'configmaps', kind: 'ConfigMap' };
const namespace = 'default';

export const nodeCount = 1000;
export const podCount = 10_000;
export const stampAnnotation = 'bench.muster.dev/stamp';
const poolCount = 50;
const clients = 16;

export async function fill(client: KubeClient): Promise<void> {
  if ((await client.find(accounts, { namespace, name: 'default' })) === undefined)
    await client.create(accounts, { namespace }, { metadata: { name: 'default' } });
  await each(nodeCount, (number) => makeNode(client, number));
  const owners: KubeObject[] = [];
  for (let number = 0; number < poolCount; number += 1)
    owners.push(await client.create(pools, { namespace }, { metadata: { name: `pool-${number}` } }));
  await each(podCount, (number) => makePod(client, number, owners[number % poolCount]));
}

/** Changes one Pod, with the time of the change. */
export async function touch(client: KubeClient, number: number): Promise<void> {
  const annotations = { [stampAnnotation]: String(Date.now()) };
  await client.patch(pods, { namespace, name: podName(number) }, { merge: { metadata: { annotations } } });
}

export function stampOf({ metadata }: KubeObject): number {
  return Number(metadata.annotations?.[stampAnnotation] ?? Number.NaN);
}

async function each(count: number, make: (number: number) => Promise<void>): Promise<void> {
  let next = 0;
  const worker = async (): Promise<void> => {
    for (let number = next++; number < count; number = next++) await make(number);
  };
  await Promise.all(Array.from({ length: clients }, worker));
}

async function makeNode(client: KubeClient, number: number): Promise<void> {
  const name = `mac-${number}`;
  const labels = {
    'kubernetes.io/hostname': name,
    'kubernetes.io/os': 'darwin',
    'kubernetes.io/arch': 'arm64',
    'topology.kubernetes.io/zone': `fr-par-${number % 3}`,
    'tuist.dev/fleet': 'bench',
  };
  const spec = { providerID: `scw-applesilicon://fr-par-1/${name}`, taints: [taint] };
  await client.create(nodes, {}, { metadata: { name, labels }, spec });
  const size = { cpu: '8', memory: '16Gi', pods: '2', 'ephemeral-storage': '228Gi' };
  const kinds = ['Ready', 'MemoryPressure', 'DiskPressure', 'PIDPressure', 'NetworkUnavailable'];
  const status = {
    capacity: size,
    allocatable: size,
    addresses: [{ type: 'InternalIP', address: `10.1.${number >> 8}.${number & 255}` }],
    conditions: kinds.map((type) => condition(type, 'KubeletIsFine', 'the kubelet says that all is well')),
    nodeInfo: nodeInfo(number),
    images: Array.from({ length: 5 }, (_, index) => ({
      names: [`ghcr.io/example/runner-${index}@sha256:${'a'.repeat(64)}`],
      sizeBytes: 40_000_000_000,
    })),
  };
  await client.patch(nodes, { name, subresource: 'status' }, { merge: { status } });
}

const taint = { key: 'tuist.dev/macos', value: 'true', effect: 'NoSchedule' };

function nodeInfo(number: number): object {
  return {
    machineID: `machine-${number}`,
    systemUUID: `uuid-${number}`,
    bootID: `boot-${number}`,
    kernelVersion: 'Darwin 25.0.0',
    osImage: 'macOS 26.0',
    containerRuntimeVersion: 'tart://2.30.0',
    kubeletVersion: 'v1.36.4',
    kubeProxyVersion: '',
    operatingSystem: 'darwin',
    architecture: 'arm64',
  };
}

async function makePod(client: KubeClient, number: number, pool?: KubeObject): Promise<void> {
  const name = podName(number);
  const owner = { apiVersion: 'v1', kind: pools.kind, name: pool?.metadata.name, uid: pool?.metadata.uid };
  const metadata = {
    name,
    labels: { 'app.kubernetes.io/name': 'runner', 'tuist.dev/pool': owner.name, 'tuist.dev/owner': '' },
    annotations: {
      'tuist.dev/template-hash': 'f'.repeat(40),
      'tuist.dev/dispatch-url': 'https://dispatch.example',
    },
    ownerReferences: [{ ...owner, controller: true, blockOwnerDeletion: true }],
  };
  const spec = {
    nodeName: `mac-${number % nodeCount}`,
    restartPolicy: 'Never',
    automountServiceAccountToken: false,
    tolerations: [{ key: taint.key, operator: 'Exists', effect: taint.effect }],
    containers: [container('runner', 3)],
    volumes: [
      { name: 'work', emptyDir: {} },
      { name: 'cache', emptyDir: { sizeLimit: '20Gi' } },
    ],
  };
  await client.create(pods, { namespace }, { metadata, spec });
  await client.patch(
    pods,
    { namespace, name, subresource: 'status' },
    { merge: { status: podStatus(number) } },
  );
}

function container(name: string, variables: number): object {
  const size = { cpu: '4', memory: '8Gi' };
  return {
    name,
    image: `ghcr.io/example/${name}:26.0`,
    env: Array.from({ length: variables }, (_, index) => ({
      name: `SETTING_${index}`,
      value: `value number ${index} of ${name}`,
    })),
    resources: { requests: size, limits: size },
    volumeMounts: [
      { name: 'work', mountPath: '/work' },
      { name: 'cache', mountPath: '/cache' },
    ],
  };
}

function podStatus(number: number): object {
  const running = { running: { startedAt: '2026-01-01T00:00:10Z' } };
  return {
    phase: 'Running',
    hostIP: '10.1.0.1',
    podIP: `10.2.${number >> 8}.${number & 255}`,
    podIPs: [{ ip: `10.2.${number >> 8}.${number & 255}` }],
    startTime: '2026-01-01T00:00:00Z',
    conditions: ['PodScheduled', 'Initialized', 'ContainersReady', 'Ready'].map((type) => condition(type)),
    containerStatuses: ['runner'].map((name) => ({
      name,
      state: running,
      ready: true,
      started: true,
      restartCount: 0,
      image: `ghcr.io/example/${name}:26.0`,
      imageID: `ghcr.io/example/${name}@sha256:${'b'.repeat(64)}`,
      containerID: `tart://${name}-${number}`,
    })),
  };
}

function condition(type: string, ...[reason, message]: readonly string[]): object {
  const at = { lastTransitionTime: '2026-01-01T00:00:00Z' };
  return { type, status: 'True', ...at, ...(reason !== undefined && { reason, message }) };
}

function podName(number: number): string {
  return `runner-${String(number).padStart(5, '0')}-x7k2p`;
}
