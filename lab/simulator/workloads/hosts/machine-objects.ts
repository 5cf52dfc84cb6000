/** The machines of the scenario as people write them, and their Cluster API objects. */
import type { Json, JsonObject } from '../../../../src/embedded/kubernetes-api/json.ts';
import type { AdminClient } from './admin-client.ts';
import { fieldsOf } from './stored-objects.ts';

export const machineNames: readonly string[] = ['a', 'b', 'c', 'd'].map((letter) => `tuist-tuist-${letter}`);
export const clusterName = 'macs';
/** These machines belong to the Cluster; the others stand alone. */
const clusterMachines: ReadonlySet<string> = new Set(machineNames.slice(2));
const coreVersion = 'cluster.x-k8s.io/v1beta2';

/** The Cluster is provisioned, and each of its machines has an owner Machine. */
export function createClusterObjects(admin: AdminClient): void {
  const ref = {
    apiGroup: 'infrastructure.cluster.x-k8s.io',
    kind: 'ScalewayAppleSiliconCluster',
    name: clusterName,
  };
  admin.createCluster({
    apiVersion: coreVersion,
    kind: 'Cluster',
    metadata: { name: clusterName },
    spec: { infrastructureRef: ref },
  });
  admin.patchCluster(
    clusterName,
    { status: { initialization: { infrastructureProvisioned: true } } },
    '/status',
  );
  for (const name of clusterMachines)
    admin.createOwnerMachine({
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

export function machineOf(name: string, admin: AdminClient): JsonObject {
  return {
    apiVersion: 'infrastructure.cluster.x-k8s.io/v1alpha1',
    kind: 'ScalewayAppleSiliconMachine',
    metadata: { name, ...clusterMetadata(name, admin) },
    spec: { zone: 'fr-par-1', type: 'M2-L', os: 'Tahoe' },
  };
}

function clusterMetadata(name: string, admin: AdminClient): JsonObject {
  const owner = clusterMachines.has(name) ? admin.ownerMachine(name) : undefined;
  if (owner === undefined) return {};
  const uid: Json = fieldsOf(owner['metadata'])['uid'] ?? '';
  return {
    labels: { 'cluster.x-k8s.io/cluster-name': clusterName },
    ownerReferences: [{ apiVersion: coreVersion, kind: 'Machine', name, uid, controller: true }],
  };
}
