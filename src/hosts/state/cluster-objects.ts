/** The Cluster of Cluster API in both versions, and the two kinds of ours that it references. */
import { musterControlPlane, type MusterControlPlane } from '../../api/kinds/muster-control-plane.ts';
import {
  scalewayAppleSiliconCluster,
  type ScalewayAppleSiliconCluster,
} from '../../api/kinds/scaleway-apple-silicon-cluster.ts';
import type { KubeObject, OwnerReference, Resource } from '../../kube/client/kube-object.ts';

export interface InfraClusterObject extends KubeObject {
  readonly spec?: ScalewayAppleSiliconCluster['spec'];
  readonly status?: ScalewayAppleSiliconCluster['status'];
}

export interface ControlPlaneObject extends KubeObject {
  readonly status?: MusterControlPlane['status'];
}

export const infraClusters: Resource<InfraClusterObject> = resourceOf(scalewayAppleSiliconCluster);
export const controlPlanes: Resource<ControlPlaneObject> = resourceOf(musterControlPlane);

function resourceOf({
  group,
  version,
  plural,
  kind,
}: Pick<Resource, 'group' | 'version' | 'plural' | 'kind'>) {
  return { group, version, plural, kind, namespaced: true };
}

/** Supported versions of Cluster API, the preferred one first. */
export const clusterVersions = ['v1beta2', 'v1beta1'] as const;
export type ClusterVersion = (typeof clusterVersions)[number];

interface Reference {
  readonly kind?: string;
  readonly name?: string;
}

interface ClusterCondition {
  readonly type: string;
  readonly status: string;
}

/** The fields in use, of both versions. */
export interface ClusterObject extends KubeObject {
  readonly spec?: {
    readonly paused?: boolean;
    readonly infrastructureRef?: Reference;
    readonly controlPlaneRef?: Reference;
  };
  readonly status?: {
    /** v1beta2 */
    readonly initialization?: { readonly infrastructureProvisioned?: boolean };
    /** v1beta1 */
    readonly infrastructureReady?: boolean;
    readonly conditions?: readonly ClusterCondition[];
  };
}

/** A Cluster with its version: the two versions keep the same facts in different fields. */
export interface FoundCluster {
  readonly version: ClusterVersion;
  readonly object: ClusterObject;
}

export const clusterApiGroup = 'cluster.x-k8s.io';

export function clustersIn(version: ClusterVersion): Resource<ClusterObject> {
  return { group: clusterApiGroup, version, plural: 'clusters', kind: 'Cluster', namespaced: true };
}

/** The Cluster that owns the object. */
export function clusterAbove({ metadata }: KubeObject): OwnerReference | undefined {
  return metadata.ownerReferences?.find(
    ({ kind, apiVersion }) => kind === 'Cluster' && apiVersion.startsWith(`${clusterApiGroup}/`),
  );
}
