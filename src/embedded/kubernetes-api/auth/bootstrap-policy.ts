/**
 * The default roles and bindings of every cluster, for the served kinds. Each start restores missing ones and keeps
 * changed ones.
 */
import type { JsonObject } from '../json.ts';
import { authenticated, masters, serviceAccounts, unauthenticated } from './identity.ts';
import { rbacGroup } from '../registry/role.ts';

const issuerDiscovery = 'system:service-account-issuer-discovery';
const readVerbs = ['get', 'list', 'watch'];
const writeVerbs = ['create', 'delete', 'deletecollection', 'patch', 'update'];
const labels = { 'kubernetes.io/bootstrapping': 'rbac-defaults' };
const annotations = { 'rbac.authorization.kubernetes.io/autoupdate': 'true' };
const aggregateLabel = (into: string): string => `rbac.authorization.k8s.io/aggregate-to-${into}`;

interface Rule {
  readonly apiGroups?: readonly string[];
  readonly resources?: readonly string[];
  readonly nonResourceURLs?: readonly string[];
  readonly verbs: readonly string[];
}

interface RoleOrder {
  readonly labels?: Readonly<Record<string, string>>;
  readonly rules?: readonly Rule[];
  readonly aggregates?: string;
}

const plainResources = ['configmaps', 'endpoints', 'pods', 'serviceaccounts', 'services'];
const apps = { apiGroups: ['apps'], resources: ['deployments', 'deployments/scale'] };
const leases = { apiGroups: ['coordination.k8s.io'], resources: ['leases'] };
const roleKinds = { apiGroups: [rbacGroup], resources: ['rolebindings', 'roles'] };

const roles: Readonly<Record<string, RoleOrder>> = {
  'cluster-admin': {
    rules: [
      { apiGroups: ['*'], resources: ['*'], verbs: ['*'] },
      { nonResourceURLs: ['*'], verbs: ['*'] },
    ],
  },
  admin: { aggregates: 'admin' },
  edit: { aggregates: 'edit', labels: { [aggregateLabel('admin')]: 'true' } },
  view: { aggregates: 'view', labels: { [aggregateLabel('edit')]: 'true' } },
  'system:aggregate-to-view': {
    labels: { [aggregateLabel('view')]: 'true' },
    rules: [
      {
        apiGroups: [''],
        resources: [
          ...plainResources,
          'events',
          'namespaces',
          'namespaces/status',
          'pods/log',
          'pods/status',
        ],
        verbs: readVerbs,
      },
      { apiGroups: ['apps'], resources: [...apps.resources, 'deployments/status'], verbs: readVerbs },
      { apiGroups: ['discovery.k8s.io'], resources: ['endpointslices'], verbs: readVerbs },
      { ...leases, verbs: readVerbs },
    ],
  },
  'system:aggregate-to-edit': {
    labels: { [aggregateLabel('edit')]: 'true' },
    rules: [
      { apiGroups: [''], resources: ['secrets'], verbs: readVerbs },
      { apiGroups: [''], resources: ['serviceaccounts'], verbs: ['impersonate'] },
      { apiGroups: [''], resources: ['pods/eviction', 'serviceaccounts/token'], verbs: ['create'] },
      { apiGroups: [''], resources: [...plainResources, 'events', 'secrets'], verbs: writeVerbs },
      { ...apps, verbs: writeVerbs },
      { ...leases, verbs: writeVerbs },
    ],
  },
  'system:aggregate-to-admin': {
    labels: { [aggregateLabel('admin')]: 'true' },
    rules: [
      { apiGroups: ['authorization.k8s.io'], resources: ['localsubjectaccessreviews'], verbs: ['create'] },
      { ...roleKinds, verbs: [...readVerbs, ...writeVerbs] },
    ],
  },
  'system:discovery': {
    rules: [
      {
        nonResourceURLs: [
          '/api',
          '/api/*',
          '/apis',
          '/apis/*',
          '/healthz',
          '/livez',
          '/openapi',
          '/openapi/*',
          '/readyz',
          '/version',
          '/version/',
        ],
        verbs: ['get'],
      },
    ],
  },
  'system:public-info-viewer': {
    rules: [{ nonResourceURLs: ['/healthz', '/livez', '/readyz', '/version', '/version/'], verbs: ['get'] }],
  },
  'system:basic-user': {
    rules: [
      {
        apiGroups: ['authorization.k8s.io'],
        resources: ['selfsubjectaccessreviews', 'selfsubjectrulesreviews'],
        verbs: ['create'],
      },
      { apiGroups: ['authentication.k8s.io'], resources: ['selfsubjectreviews'], verbs: ['create'] },
    ],
  },
  [issuerDiscovery]: {
    rules: [{ nonResourceURLs: ['/openid/v1/jwks', '/openid/v1/jwks/'], verbs: ['get'] }],
  },
  'system:auth-delegator': {
    rules: [
      { apiGroups: ['authentication.k8s.io'], resources: ['tokenreviews'], verbs: ['create'] },
      { apiGroups: ['authorization.k8s.io'], resources: ['subjectaccessreviews'], verbs: ['create'] },
    ],
  },
};

/** The groups bound to each role cluster-wide. */
const bindings: Readonly<Record<string, readonly string[]>> = {
  'cluster-admin': [masters],
  'system:discovery': [authenticated],
  'system:basic-user': [authenticated],
  [issuerDiscovery]: [serviceAccounts],
  'system:public-info-viewer': [authenticated, unauthenticated],
};

export interface BootstrapObject {
  readonly plural: 'clusterroles' | 'clusterrolebindings';
  readonly body: JsonObject;
}

export function bootstrapPolicy(): readonly BootstrapObject[] {
  return [
    ...Object.entries(roles).map(
      ([name, order]) => ({ plural: 'clusterroles', body: role(name, order) }) as const,
    ),
    ...Object.entries(bindings).map(
      ([name, groups]) => ({ plural: 'clusterrolebindings', body: binding(name, groups) }) as const,
    ),
  ];
}

function role(name: string, order: RoleOrder): JsonObject {
  const { aggregates, rules = [] } = order;
  const selector = { matchLabels: { [aggregateLabel(aggregates ?? '')]: 'true' } };
  return {
    apiVersion: `${rbacGroup}/v1`,
    kind: 'ClusterRole',
    metadata: { name, annotations, labels: { ...labels, ...order.labels } },
    ...(aggregates !== undefined && { aggregationRule: { clusterRoleSelectors: [selector] } }),
    rules: rules.map((rule) => ({ ...rule })),
  };
}

function binding(name: string, groups: readonly string[]): JsonObject {
  return {
    apiVersion: `${rbacGroup}/v1`,
    kind: 'ClusterRoleBinding',
    metadata: { name, annotations, labels },
    roleRef: { apiGroup: rbacGroup, kind: 'ClusterRole', name },
    subjects: groups.map((group) => ({ apiGroup: rbacGroup, kind: 'Group', name: group })),
  };
}
