/** Ports of the controller of the cluster objects. */
import type { ControlPlaneObject, FoundCluster, InfraClusterObject } from '../state/cluster-objects.ts';
import type { KubeClient } from '../../kube/client/client.ts';
import type { Place } from '../../kube/client/kube-object.ts';

export interface ClusterPorts {
  readonly client: KubeClient;
  readonly now: () => number;
  readonly infrastructure: (key: string) => InfraClusterObject | undefined;
  readonly controlPlane: (key: string) => ControlPlaneObject | undefined;
  /** The stored Cluster; undefined if it is missing or Cluster API is not installed. */
  readonly findCluster: (place: Place) => Promise<FoundCluster | undefined>;
}
