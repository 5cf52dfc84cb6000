/** The kinds of a provider without any infrastructure, whose workload cluster is the management server itself. */
import type { Condition } from '../../../src/kube/reconciler/conditions.ts';
import type { KubeObject, Resource } from '../../../src/kube/client/kube-object.ts';
import type { Definition } from '../../clouds/cluster-api/crds.ts';

const group = 'tiny.muster.dev';
const anything = { type: 'object', 'x-kubernetes-preserve-unknown-fields': true };

export interface Tiny extends KubeObject {
  readonly spec?: Readonly<Record<string, unknown>>;
  readonly status?: { readonly conditions?: readonly Condition[] } & Readonly<Record<string, unknown>>;
}

export const tiny = {
  clusters: resource('TinyCluster'),
  /** Follows the older version of the contract only. */
  oldClusters: resource('TinyOldCluster'),
  controlPlanes: resource('TinyControlPlane'),
  machines: resource('TinyMachine'),
  templates: resource('TinyMachineTemplate'),
} as const;

export const tinyDefinitions: readonly Definition[] = Object.values(tiny).map((kind) =>
  definition(kind, kind === tiny.oldClusters ? 'v1beta1' : 'v1beta2'),
);

/** For a server without DaemonSets: a kind of the same name, since an owner reference shows only the name. */
export const tinyDaemonSets: Resource = resource('DaemonSet');
export const tinyDaemonSetDefinition: Definition = definition(tinyDaemonSets, 'v1beta2');

export function referenceTo({ kind }: Resource, name: string) {
  return { apiGroup: group, kind, name };
}

function resource(kind: string): Resource<Tiny> {
  return { group, version: 'v1', plural: `${kind.toLowerCase()}s`, kind, namespaced: true };
}

function definition({ kind, plural }: Resource, contract: string): Definition {
  const openAPIV3Schema = { type: 'object', properties: { spec: anything, status: anything } };
  const subresources = { status: {} };
  const version = { name: 'v1', served: true, storage: true, subresources, schema: { openAPIV3Schema } };
  return {
    apiVersion: 'apiextensions.k8s.io/v1',
    kind: 'CustomResourceDefinition',
    // Maps a version of the contract between Cluster API and its providers to a version of the kind.
    metadata: { name: `${plural}.${group}`, labels: { [`cluster.x-k8s.io/${contract}`]: 'v1' } },
    spec: { group, scope: 'Namespaced', names: { kind, plural }, versions: [version] },
  };
}
