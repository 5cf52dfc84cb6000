/** The fleet of the demo: a Cluster of Macs with a MachineDeployment, in a namespace of its own. */
import type { KubeClient } from '../../src/kube/client/client.ts';
import { apiVersionOf, type Resource } from '../../src/kube/client/kube-object.ts';
import { clusters, labels, machineDeployments } from '../clouds/cluster-api/kinds.ts';

export const demoNamespace = 'demo';
/** The label of Nodes for simulated Macs. */
export const demoNodeLabel = 'muster.dev/simulated=true';
export const deploymentName = 'demo';
/** The zone and the type of the demo's servers. */
export const demoServers = { zone: 'fr-par-1', type: 'M2-L', count: 8 } as const;
const demoReplicas = 3;

const clusterName = 'macs';
const infrastructure = 'infrastructure.cluster.x-k8s.io';
const controlPlane = 'controlplane.cluster.x-k8s.io';
const namespaces: Resource = {
  group: '',
  version: 'v1',
  plural: 'namespaces',
  kind: 'Namespace',
  namespaced: false,
};

interface Draft {
  readonly resource: Resource;
  readonly name: string;
  readonly metadata?: object;
  readonly spec?: object;
}

const referenceTo = ({ group: apiGroup, kind }: Resource, name: string) => ({ apiGroup, kind, name });
const infraCluster = ours(infrastructure, 'ScalewayAppleSiliconCluster');
const plane = ours(controlPlane, 'MusterControlPlane');
const template = ours(infrastructure, 'ScalewayAppleSiliconMachineTemplate');

const drafts: readonly Draft[] = [
  { resource: namespaces, name: demoNamespace },
  { resource: infraCluster, name: clusterName, spec: {} },
  { resource: plane, name: clusterName, spec: {} },
  {
    resource: template,
    name: deploymentName,
    spec: {
      template: {
        spec: { zone: demoServers.zone, type: demoServers.type, os: 'Tahoe', fleetName: 'demo' },
      },
    },
  },
  {
    resource: clusters,
    name: clusterName,
    spec: {
      controlPlaneEndpoint: { host: '127.0.0.1', port: 6443 },
      infrastructureRef: referenceTo(infraCluster, clusterName),
      controlPlaneRef: referenceTo(plane, clusterName),
    },
  },
  {
    resource: machineDeployments,
    name: deploymentName,
    metadata: { labels: { [labels.cluster]: clusterName } },
    spec: {
      clusterName,
      replicas: demoReplicas,
      rollout: { strategy: { type: 'OnDelete' } },
      selector: { matchLabels: { pool: 'demo' } },
      template: {
        metadata: { labels: { [labels.cluster]: clusterName, pool: 'demo' } },
        spec: {
          clusterName,
          bootstrap: { dataSecretName: 'none-needed' },
          infrastructureRef: referenceTo(template, deploymentName),
        },
      },
    },
  },
];

/** Applied, not created: objects that do not depend on the servers exist from the last start. */
export async function makeDemoFleet(client: KubeClient): Promise<void> {
  for (const { resource, name, metadata, spec } of drafts) {
    const namespace = resource.namespaced ? { namespace: demoNamespace } : {};
    const apply = {
      apiVersion: apiVersionOf(resource),
      kind: resource.kind,
      metadata: { name, ...namespace, ...metadata },
      ...(spec !== undefined && { spec }),
    };
    await client.patch(resource, { name, ...namespace }, { apply, force: true });
  }
}

function ours(group: string, kind: string): Resource {
  return { group, version: 'v1alpha1', plural: `${kind.toLowerCase()}s`, kind, namespaced: true };
}
