/** The Cluster API objects of a story: a Cluster, its control plane and a MachineDeployment. */
import { crd } from '../../../../src/api/crd/crd.ts';
import { kinds } from '../../../../src/api/kinds/kinds.ts';
import { clusterApiDefinitions } from '../../../clouds/cluster-api/crds.ts';
import { labels } from '../../../clouds/cluster-api/kinds.ts';
import type { DirectApi } from '../../world/direct-api.ts';

const namespace = 'default';
export const nodePath = '/api/v1/nodes';
const infrastructure = 'infrastructure.cluster.x-k8s.io';
const ofInfrastructure = `/apis/${infrastructure}/v1alpha1/namespaces/${namespace}`;
const ofControlPlanes = `/apis/controlplane.cluster.x-k8s.io/v1alpha1/namespaces/${namespace}`;
const ofCore = `/apis/cluster.x-k8s.io/v1beta2/namespaces/${namespace}`;
export const clusterPath = `${ofCore}/clusters/macs`;
export const deploymentPath = `${ofCore}/machinedeployments/macs`;
const [clusterName, poolName] = ['macs', 'macs'];

export function install(api: DirectApi): void {
  for (const definition of [...kinds.map(crd), ...clusterApiDefinitions])
    api.apply(
      `/apis/apiextensions.k8s.io/v1/customresourcedefinitions/${definition.metadata.name}`,
      definition,
    );
}

export function templateReference(name: string) {
  return { apiGroup: infrastructure, kind: 'ScalewayAppleSiliconMachineTemplate', name };
}

export function raise(api: DirectApi): void {
  const status = { ready: true, initialization: { provisioned: true } };
  const own = { metadata: { name: clusterName } };
  const endpoint = { host: '192.0.2.7', port: 6443 };
  api.create(`${ofInfrastructure}/scalewayapplesiliconclusters`, {
    ...typeOf(infrastructure, 'ScalewayAppleSiliconCluster'),
    ...own,
    spec: { controlPlaneEndpoint: endpoint },
  });
  api.change(`${ofInfrastructure}/scalewayapplesiliconclusters/${clusterName}/status`, { status });
  const controlPlanes = `${ofControlPlanes}/mustercontrolplanes`;
  api.create(controlPlanes, { ...typeOf('controlplane.cluster.x-k8s.io', 'MusterControlPlane'), ...own });
  api.change(`${controlPlanes}/${clusterName}/status`, {
    status: { externalManagedControlPlane: true, initialization: { controlPlaneInitialized: true } },
  });
  for (const name of ['tahoe', 'sequoia'])
    api.create(`${ofInfrastructure}/scalewayapplesiliconmachinetemplates`, {
      ...typeOf(infrastructure, 'ScalewayAppleSiliconMachineTemplate'),
      metadata: { name },
      spec: { template: { spec: { os: name } } },
    });
  raiseMachines(api);
}

function raiseMachines(api: DirectApi): void {
  const apiVersion = 'cluster.x-k8s.io/v1beta2';
  const controlPlane = { apiGroup: 'controlplane.cluster.x-k8s.io', kind: 'MusterControlPlane' };
  const cluster = { apiGroup: infrastructure, kind: 'ScalewayAppleSiliconCluster' };
  api.create(`${ofCore}/clusters`, {
    apiVersion,
    kind: 'Cluster',
    metadata: { name: clusterName },
    spec: {
      infrastructureRef: { ...cluster, name: clusterName },
      controlPlaneRef: { ...controlPlane, name: clusterName },
    },
  });
  const spec = {
    clusterName,
    bootstrap: { dataSecretName: 'none' },
    infrastructureRef: templateReference('tahoe'),
  };
  api.create(`${ofCore}/machinedeployments`, {
    apiVersion,
    kind: 'MachineDeployment',
    metadata: { name: poolName, labels: { [labels.cluster]: clusterName } },
    spec: {
      clusterName,
      replicas: 2,
      rollout: { strategy: { type: 'OnDelete' } },
      selector: { matchLabels: { pool: poolName } },
      template: { metadata: { labels: { [labels.cluster]: clusterName, pool: poolName } }, spec },
    },
  });
}

/** Registers the Node of a host, unless it exists. */
export function giveNode(api: DirectApi, name: string, providerID: string): void {
  if (api.find(`${nodePath}/${name}`) !== undefined) return;
  api.create(nodePath, { ...typeOf('', 'Node'), metadata: { name }, spec: { providerID } });
  api.change(`${nodePath}/${name}/status`, { status: { conditions: healthy } });
}

const healthy = [
  { type: 'Ready', status: 'True' },
  { type: 'MemoryPressure', status: 'False' },
  { type: 'DiskPressure', status: 'False' },
  { type: 'PIDPressure', status: 'False' },
];

function typeOf(group: string, kind: string) {
  return { apiVersion: group === '' ? 'v1' : `${group}/v1alpha1`, kind };
}
