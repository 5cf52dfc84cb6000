/** The resources that the cases write: builtins of every cluster, and the kinds of the suite's own CRDs. */
import type { Resource } from './collection.ts';

export const contractGroup = 'contract.muster.dev';

const namespaced = { version: 'v1', scope: 'Namespaced' } as const;
const rbac = { group: 'rbac.authorization.k8s.io' } as const;
const clusterWide = { version: 'v1', scope: 'Cluster' } as const;

export const resources = {
  namespaces: { ...clusterWide, plural: 'namespaces', kind: 'Namespace' },
  configMaps: { ...namespaced, plural: 'configmaps', kind: 'ConfigMap' },
  secrets: { ...namespaced, plural: 'secrets', kind: 'Secret' },
  serviceAccounts: { ...namespaced, plural: 'serviceaccounts', kind: 'ServiceAccount' },
  pods: { ...namespaced, plural: 'pods', kind: 'Pod' },
  nodes: { ...clusterWide, plural: 'nodes', kind: 'Node' },
  coreEvents: { ...namespaced, plural: 'events', kind: 'Event' },
  newEvents: { ...namespaced, group: 'events.k8s.io', plural: 'events', kind: 'Event' },
  leases: { ...namespaced, group: 'coordination.k8s.io', plural: 'leases', kind: 'Lease' },
  services: { ...namespaced, plural: 'services', kind: 'Service' },
  endpoints: { ...namespaced, plural: 'endpoints', kind: 'Endpoints' },
  endpointSlices: {
    ...namespaced,
    group: 'discovery.k8s.io',
    plural: 'endpointslices',
    kind: 'EndpointSlice',
  },
  deployments: { ...namespaced, group: 'apps', plural: 'deployments', kind: 'Deployment' },
  roles: { ...namespaced, ...rbac, plural: 'roles', kind: 'Role' },
  roleBindings: { ...namespaced, ...rbac, plural: 'rolebindings', kind: 'RoleBinding' },
  clusterRoles: { ...clusterWide, ...rbac, plural: 'clusterroles', kind: 'ClusterRole' },
  clusterRoleBindings: {
    ...clusterWide,
    ...rbac,
    plural: 'clusterrolebindings',
    kind: 'ClusterRoleBinding',
  },
  runtimeClasses: { ...clusterWide, group: 'node.k8s.io', plural: 'runtimeclasses', kind: 'RuntimeClass' },
  volumeAttachments: {
    ...clusterWide,
    group: 'storage.k8s.io',
    plural: 'volumeattachments',
    kind: 'VolumeAttachment',
  },
  crds: {
    ...clusterWide,
    group: 'apiextensions.k8s.io',
    plural: 'customresourcedefinitions',
    kind: 'CustomResourceDefinition',
  },
  /** With a status subresource and a schema with everything that the rules need. */
  widgets: { ...namespaced, group: contractGroup, plural: 'widgets', kind: 'Widget' },
  /** Without a status subresource, although its schema has a status. */
  gadgets: { ...namespaced, group: contractGroup, plural: 'gadgets', kind: 'Gadget' },
  /** Cluster-scoped. */
  zones: { ...clusterWide, group: contractGroup, plural: 'zones', kind: 'Zone' },
  /** Served as v1, in which it is stored, and as v1beta1. */
  bolts: { ...namespaced, group: contractGroup, plural: 'bolts', kind: 'Bolt' },
  oldBolts: {
    group: contractGroup,
    version: 'v1beta1',
    scope: 'Namespaced',
    plural: 'bolts',
    kind: 'Bolt',
  },
} satisfies Readonly<Record<string, Resource>>;

export type ResourceName = keyof typeof resources;
