/**
 * Built-in resources that the runtime uses, with the published types of their fields. Only the type of the metadata
 * is ours: the published type leaves out fields that a server always sets.
 */
import type { Deployment as DeploymentFields } from 'kubernetes-types/apps/v1.js';
import type { Lease as LeaseFields } from 'kubernetes-types/coordination/v1.js';
import type {
  ConfigMap as ConfigMapFields,
  Node as NodeFields,
  Pod as PodFields,
  Secret as SecretFields,
  ServiceAccount as ServiceAccountFields,
} from 'kubernetes-types/core/v1.js';
import type { Event as EventFields } from 'kubernetes-types/events/v1.js';
import type { RuntimeClass as RuntimeClassFields } from 'kubernetes-types/node/v1.js';
import type { KubeObject, Resource } from './kube-object.ts';

type Stored<Fields> = KubeObject & Readonly<Omit<Fields, keyof KubeObject>>;

export type ConfigMap = Stored<ConfigMapFields>;
export type Deployment = Stored<DeploymentFields>;
export type Event = Stored<EventFields>;
export type Lease = Stored<LeaseFields>;
export type Node = Stored<NodeFields>;
export type Pod = Stored<PodFields>;
export type RuntimeClass = Stored<RuntimeClassFields>;
export type ServiceAccount = Stored<ServiceAccountFields>;
/** The Kubernetes Secret, not the `Secret` text that must not be printed. */
export type SecretObject = Stored<SecretFields>;

export const configMaps: Resource<ConfigMap> = core('configmaps', 'ConfigMap');
export const pods: Resource<Pod> = core('pods', 'Pod');
export const secrets: Resource<SecretObject> = core('secrets', 'Secret');
export const nodes: Resource<Node> = { ...core('nodes', 'Node'), namespaced: false };
export const serviceAccounts: Resource<ServiceAccount> = core('serviceaccounts', 'ServiceAccount');
export const runtimeClasses: Resource<RuntimeClass> = {
  group: 'node.k8s.io',
  version: 'v1',
  plural: 'runtimeclasses',
  kind: 'RuntimeClass',
  namespaced: false,
};
export const tokenReviews: Resource = {
  group: 'authentication.k8s.io',
  version: 'v1',
  plural: 'tokenreviews',
  kind: 'TokenReview',
  namespaced: false,
};
export const events: Resource<Event> = {
  group: 'events.k8s.io',
  version: 'v1',
  plural: 'events',
  kind: 'Event',
  namespaced: true,
};
export const deployments: Resource<Deployment> = {
  group: 'apps',
  version: 'v1',
  plural: 'deployments',
  kind: 'Deployment',
  namespaced: true,
};
export const leases: Resource<Lease> = {
  group: 'coordination.k8s.io',
  version: 'v1',
  plural: 'leases',
  kind: 'Lease',
  namespaced: true,
};

function core<T extends KubeObject>(plural: string, kind: string): Resource<T> {
  return { group: '', version: 'v1', plural, kind, namespaced: true };
}
