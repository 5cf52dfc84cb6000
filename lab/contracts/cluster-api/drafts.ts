/** What a fixture is built from. */
import { apiVersionOf, type Resource } from '../../../src/kube/client/kube-object.ts';
import { labels, type DeletionOrder } from '../../clouds/cluster-api/kinds.ts';
import { referenceTo, tiny } from './tiny-kinds.ts';

export const clusterName = 'tiny';

export interface Wanted {
  readonly replicas?: number;
  readonly order?: DeletionOrder;
  readonly paused?: boolean;
  /** Whether the Cluster names a control plane. */
  readonly controlPlane?: boolean;
  /** Uses the older contract. */
  readonly isOld?: boolean;
}

export const namespaces: Resource = {
  group: '',
  version: 'v1',
  plural: 'namespaces',
  kind: 'Namespace',
  namespaced: false,
};
export const definitions: Resource = {
  group: 'apiextensions.k8s.io',
  version: 'v1',
  plural: 'customresourcedefinitions',
  kind: 'CustomResourceDefinition',
  namespaced: false,
};

export function draft(resource: Resource, name: string, metadata: object = {}): object {
  return { apiVersion: apiVersionOf(resource), kind: resource.kind, metadata: { name, ...metadata } };
}

export function templateOf(colour: string) {
  return { spec: { template: { spec: { colour } } } };
}

export function clusterSpec({ paused, controlPlane }: Wanted, infrastructure: Resource): object {
  return {
    ...(paused !== undefined && { paused }),
    infrastructureRef: referenceTo(infrastructure, clusterName),
    ...(controlPlane !== false && { controlPlaneRef: referenceTo(tiny.controlPlanes, clusterName) }),
  };
}

export function deploymentSpec({ replicas = 1, order }: Wanted): object {
  const spec = {
    clusterName,
    bootstrap: { dataSecretName: 'bootstrap' },
    infrastructureRef: referenceTo(tiny.templates, 'blue'),
  };
  return {
    clusterName,
    replicas,
    rollout: { strategy: { type: 'OnDelete' } },
    selector: { matchLabels: { pool: 'pool' } },
    ...(order !== undefined && { deletion: { order } }),
    template: { metadata: { labels: { [labels.cluster]: clusterName, pool: 'pool' } }, spec },
  };
}
