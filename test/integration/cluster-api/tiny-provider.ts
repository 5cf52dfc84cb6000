/**
 * An infrastructure and control plane provider for Cluster API without behavior: four kinds, and the writes by which a
 * test plays their controllers. The workload cluster is the management server itself.
 */
import { readFile } from 'node:fs/promises';
import type { Client } from '../client.ts';
import type { Embedded } from '../embedded.ts';
import { documents } from '../kubectl/flow.ts';

const group = 'tiny.muster.dev';
const anything = { type: 'object', 'x-kubernetes-preserve-unknown-fields': true };
const clusterLabel = { 'cluster.x-k8s.io/cluster-name': 'tiny' };

function definition(kind: string): object {
  const plural = `${kind.toLowerCase()}s`;
  return {
    apiVersion: 'apiextensions.k8s.io/v1',
    kind: 'CustomResourceDefinition',
    // Maps a version of the kind to a version of the Cluster API contract.
    metadata: { name: `${plural}.${group}`, labels: { 'cluster.x-k8s.io/v1beta2': 'v1' } },
    spec: {
      group,
      scope: 'Namespaced',
      names: { kind, plural },
      versions: [
        {
          name: 'v1',
          served: true,
          storage: true,
          subresources: { status: {} },
          schema: { openAPIV3Schema: { type: 'object', properties: { spec: anything, status: anything } } },
        },
      ],
    },
  };
}

export const tinyDefinitions = ['TinyCluster', 'TinyControlPlane', 'TinyMachine', 'TinyMachineTemplate'].map(
  definition,
);

function tiny(kind: string, spec: object = {}): object {
  return { apiVersion: `${group}/v1`, kind, metadata: { name: 'tiny' }, spec };
}

function reference(kind: string): object {
  return { apiGroup: group, kind, name: 'tiny' };
}

const machineSpec = {
  clusterName: 'tiny',
  bootstrap: { dataSecretName: 'bootstrap' },
  infrastructureRef: reference('TinyMachineTemplate'),
};

/** A cluster with a pool of machines. */
export async function clusterManifests({ url, kubeconfig }: Embedded, replicas: number): Promise<string> {
  const { hostname, port } = new URL(url);
  return documents(
    tiny('TinyCluster', { controlPlaneEndpoint: { host: hostname, port: Number(port) } }),
    tiny('TinyControlPlane'),
    tiny('TinyMachineTemplate', { template: { spec: {} } }),
    { apiVersion: 'v1', kind: 'Secret', metadata: { name: 'bootstrap' }, stringData: { value: 'nothing' } },
    {
      apiVersion: 'v1',
      kind: 'Secret',
      type: 'cluster.x-k8s.io/secret',
      metadata: { name: 'tiny-kubeconfig', labels: clusterLabel },
      stringData: { value: await readFile(kubeconfig, 'utf8') },
    },
    {
      apiVersion: 'cluster.x-k8s.io/v1beta2',
      kind: 'Cluster',
      metadata: { name: 'tiny' },
      spec: { infrastructureRef: reference('TinyCluster'), controlPlaneRef: reference('TinyControlPlane') },
    },
    {
      apiVersion: 'cluster.x-k8s.io/v1beta2',
      kind: 'MachineDeployment',
      metadata: { name: 'pool', labels: clusterLabel },
      spec: {
        clusterName: 'tiny',
        replicas,
        selector: { matchLabels: { pool: 'pool' } },
        rollout: { strategy: { type: 'RollingUpdate', rollingUpdate: { maxSurge: 1, maxUnavailable: 0 } } },
        deletion: { order: 'Oldest' },
        template: { metadata: { labels: { ...clusterLabel, pool: 'pool' } }, spec: machineSpec },
      },
    },
  );
}

async function report(kubectl: Client, what: readonly [string, string], status: object): Promise<void> {
  const patch = JSON.stringify({ status });
  await kubectl.ok('patch', ...what, '--subresource=status', '--type=merge', '-p', patch);
}

export async function reportCluster(kubectl: Client): Promise<void> {
  await report(kubectl, ['tinycluster', 'tiny'], { initialization: { provisioned: true } });
  await report(kubectl, ['tinycontrolplane', 'tiny'], {
    externalManagedControlPlane: true,
    initialization: { controlPlaneInitialized: true },
  });
}

/** Reports the machine as provisioned, with a joined Node. */
export async function reportMachine(kubectl: Client, machine: string): Promise<void> {
  const providerID = `tiny://${machine}`;
  await kubectl.ok(
    'patch',
    'tinymachine',
    machine,
    '--type=merge',
    '-p',
    JSON.stringify({ spec: { providerID } }),
  );
  await report(kubectl, ['tinymachine', machine], {
    initialization: { provisioned: true },
    addresses: [{ type: 'InternalIP', address: '192.0.2.1' }],
  });
  const healthy = ['MemoryPressure', 'DiskPressure', 'PIDPressure'].map((type) => ({
    type,
    status: 'False',
  }));
  const node = {
    apiVersion: 'v1',
    kind: 'Node',
    metadata: { name: machine },
    spec: { providerID },
    status: { conditions: [{ type: 'Ready', status: 'True' }, ...healthy] },
  };
  await kubectl.feed(documents(node), 'create', '-f', '-');
}
