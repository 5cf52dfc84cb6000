/** The parts of Cluster API that the manager reads: a ready Cluster, and the owner Machine of a machine. */
const group = 'cluster.x-k8s.io';

export function clusterApiKinds(): readonly object[] {
  return ['Cluster', 'Machine'].map((kind) => {
    const singular = kind.toLowerCase();
    const plural = `${singular}s`;
    const schema = {
      openAPIV3Schema: { type: 'object', 'x-kubernetes-preserve-unknown-fields': true },
    };
    return {
      apiVersion: 'apiextensions.k8s.io/v1',
      kind: 'CustomResourceDefinition',
      metadata: {
        name: `${plural}.${group}`,
        annotations: { 'api-approved.kubernetes.io': 'unapproved, a stand-in' },
      },
      spec: {
        group,
        scope: 'Namespaced',
        names: { kind, plural, singular },
        versions: [{ name: 'v1beta2', served: true, storage: true, schema, subresources: { status: {} } }],
      },
    };
  });
}

/** A Cluster without a control plane reference. */
export function clusterOf(name: string): object {
  const kind = 'ScalewayAppleSiliconCluster';
  const spec = { infrastructureRef: { apiGroup: `infrastructure.${group}`, kind, name } };
  return { apiVersion: `${group}/v1beta2`, kind: 'Cluster', metadata: { name }, spec };
}

/** The status that Cluster API writes once the infrastructure is provisioned. */
export const readyStatus = { status: { initialization: { infrastructureProvisioned: true } } };

/** The infrastructure cluster and the control plane; the first as if the Cluster owned it. */
export function halvesOf(name: string, uid: string): readonly object[] {
  const owner = { apiVersion: `${group}/v1beta2`, kind: 'Cluster', name, uid };
  return [
    {
      apiVersion: `infrastructure.${group}/v1alpha1`,
      kind: 'ScalewayAppleSiliconCluster',
      metadata: { name, ownerReferences: [owner] },
    },
    { apiVersion: `controlplane.${group}/v1alpha1`, kind: 'MusterControlPlane', metadata: { name } },
  ];
}

export function clusterApiMachine(name: string): object {
  return { apiVersion: `${group}/v1beta2`, kind: 'Machine', metadata: { name } };
}

/** As created by Cluster API: with the name of its Cluster, and owned by its Machine. */
export function ownedMachine(name: string, owner: { readonly cluster: string; readonly uid: string }) {
  const apiVersion = `${group}/v1beta2`;
  return {
    ...machineOf(name, { type: 'M2-L' }),
    metadata: {
      name,
      labels: { [`${group}/cluster-name`]: owner.cluster },
      ownerReferences: [{ apiVersion, kind: 'Machine', name, uid: owner.uid }],
    },
  };
}

export function machineOf(name: string, { type }: { readonly type: string }) {
  return {
    apiVersion: 'infrastructure.cluster.x-k8s.io/v1alpha1',
    kind: 'ScalewayAppleSiliconMachine',
    metadata: { name },
    spec: { zone: 'fr-par-1', type, os: 'Tahoe' },
  };
}
