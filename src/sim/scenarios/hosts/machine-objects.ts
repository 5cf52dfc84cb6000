/** The machines of the scenario as people write them, and the objects of Cluster API above some of them. */
import type { Json, JsonObject } from '../../../apiserver/json.ts';
import type { KubeDesk } from './kube-desk.ts';
import { fieldsOf } from './stored-objects.ts';

export const machineNames: readonly string[] = ['a', 'b', 'c', 'd'].map((letter) => `tuist-tuist-${letter}`);
export const clusterName = 'macs';
/** These machines belong to the Cluster; the others stand alone. */
const clusterMachines: ReadonlySet<string> = new Set(machineNames.slice(2));
const coreVersion = 'cluster.x-k8s.io/v1beta2';

/** The Cluster is provisioned, and each of its machines has a Machine above. */
export function createClusterObjects(desk: KubeDesk): void {
  const ref = {
    apiGroup: 'infrastructure.cluster.x-k8s.io',
    kind: 'ScalewayAppleSiliconCluster',
    name: clusterName,
  };
  desk.createCluster({
    apiVersion: coreVersion,
    kind: 'Cluster',
    metadata: { name: clusterName },
    spec: { infrastructureRef: ref },
  });
  desk.patchCluster(
    clusterName,
    { status: { initialization: { infrastructureProvisioned: true } } },
    '/status',
  );
  for (const name of clusterMachines)
    desk.createOwnerMachine({
      apiVersion: coreVersion,
      kind: 'Machine',
      metadata: { name },
      spec: {
        clusterName,
        bootstrap: { dataSecretName: 'none' },
        infrastructureRef: { ...ref, kind: 'ScalewayAppleSiliconMachine', name },
      },
    });
}

export function machineOf(name: string, desk: KubeDesk): JsonObject {
  return {
    apiVersion: 'infrastructure.cluster.x-k8s.io/v1alpha1',
    kind: 'ScalewayAppleSiliconMachine',
    metadata: { name, ...clusterMetadata(name, desk) },
    spec: { zone: 'fr-par-1', type: 'M2-L', os: 'Tahoe' },
  };
}

function clusterMetadata(name: string, desk: KubeDesk): JsonObject {
  const owner = clusterMachines.has(name) ? desk.ownerMachine(name) : undefined;
  if (owner === undefined) return {};
  const uid: Json = fieldsOf(owner['metadata'])['uid'] ?? '';
  return {
    labels: { 'cluster.x-k8s.io/cluster-name': clusterName },
    ownerReferences: [{ apiVersion: coreVersion, kind: 'Machine', name, uid, controller: true }],
  };
}
