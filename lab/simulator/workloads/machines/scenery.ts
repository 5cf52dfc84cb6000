/** A cluster of Macs without anything behind it: its objects, and somebody who says of each that it is there. */
import { crd } from '../../../../src/api/crd/crd.ts';
import { kinds } from '../../../../src/api/kinds/kinds.ts';
import { clusterApiDefinitions } from '../../../clouds/cluster-api/crds.ts';
import { labels } from '../../../clouds/cluster-api/kinds.ts';
import { isDeleting, metadataOf, nameOf, type DirectApi } from './direct-api.ts';

const namespace = 'default';
export const nodePath = '/api/v1/nodes';
const infrastructure = 'infrastructure.cluster.x-k8s.io';
const ofInfrastructure = `/apis/${infrastructure}/v1alpha1/namespaces/${namespace}`;
const ofControlPlanes = `/apis/controlplane.cluster.x-k8s.io/v1alpha1/namespaces/${namespace}`;
const ofCore = `/apis/cluster.x-k8s.io/v1beta2/namespaces/${namespace}`;
export const hostPath = `${ofInfrastructure}/scalewayapplesiliconmachines`;
export const machinePath = `${ofCore}/machines`;
export const clusterPath = `${ofCore}/clusters/macs`;
export const deploymentPath = `${ofCore}/machinedeployments/macs`;
const finalizer = 'scenery.muster.dev/held';
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

/** Each object gets one step further; Nodes of which nothing else is left go. */
export function tend(api: DirectApi): void {
  const hosts = api.list(hostPath);
  for (const host of hosts) tendHost(api, host);
  const known = new Set([...hosts, ...api.list(machinePath)].map(nameOf));
  for (const node of api.list(nodePath))
    if (!known.has(nameOf(node))) api.delete(`${nodePath}/${nameOf(node)}`);
}

function tendHost(api: DirectApi, host: Parameters<typeof nameOf>[0]): void {
  const [name, path] = [nameOf(host), `${hostPath}/${nameOf(host)}`];
  const providerID = `scw-applesilicon://fr-par-1/${name}`;
  if (isDeleting(host)) return api.change(path, { metadata: { finalizers: null } });
  if (metadataOf(host)['finalizers'] === undefined)
    return api.change(path, { metadata: { finalizers: [finalizer] }, spec: { providerID } });
  if (host['status'] === undefined)
    return api.change(`${path}/status`, { status: { ready: true, initialization: { provisioned: true } } });
  return giveNode(api, name, providerID);
}

/** The Node that a host registers; once. */
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
