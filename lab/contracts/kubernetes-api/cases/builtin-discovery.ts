/** Discovery of the built-in kinds: their names, verbs, subresources and columns. */
import { expect } from 'vitest';
import type { Case } from '../case.ts';
import { objectIn } from '../kube-object.ts';
import { createPod } from '../making-pods.ts';

const aggregated = 'application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList';
const asTable = 'application/json;as=Table;v=v1;g=meta.k8s.io';
const age = expect.stringMatching(/^\d+[smh]/);
const verbs = ['create', 'delete', 'deletecollection', 'get', 'list', 'patch', 'update', 'watch'];
const some = ['get', 'patch', 'update'];

interface ExpectedKind {
  readonly resource: string;
  readonly kind: string;
  /** Namespaced unless given. */
  readonly scope?: string;
  readonly verbs?: readonly string[];
  readonly shortNames?: readonly string[];
  readonly categories?: readonly string[];
  readonly subresources?: readonly unknown[];
}

const status = { subresource: 'status', verbs: some };
const scale = {
  subresource: 'scale',
  verbs: some,
  responseKind: { group: 'autoscaling', version: 'v1', kind: 'Scale' },
};
const expectedKinds: Readonly<Record<string, readonly ExpectedKind[]>> = {
  '': [
    { resource: 'configmaps', kind: 'ConfigMap', shortNames: ['cm'] },
    { resource: 'endpoints', kind: 'Endpoints', shortNames: ['ep'] },
    { resource: 'events', kind: 'Event', shortNames: ['ev'] },
    {
      resource: 'namespaces',
      kind: 'Namespace',
      scope: 'Cluster',
      shortNames: ['ns'],
      verbs: verbs.filter((verb) => verb !== 'deletecollection'),
      subresources: [{ subresource: 'finalize', verbs: ['update'] }, status],
    },
    { resource: 'nodes', kind: 'Node', scope: 'Cluster', shortNames: ['no'], subresources: [status] },
    { resource: 'pods', kind: 'Pod', shortNames: ['po'], categories: ['all'], subresources: [status] },
    { resource: 'secrets', kind: 'Secret' },
    { resource: 'serviceaccounts', kind: 'ServiceAccount', shortNames: ['sa'] },
    {
      resource: 'services',
      kind: 'Service',
      shortNames: ['svc'],
      categories: ['all'],
      subresources: [status],
    },
  ],
  apps: [
    {
      resource: 'deployments',
      kind: 'Deployment',
      shortNames: ['deploy'],
      categories: ['all'],
      subresources: [scale, status],
    },
  ],
  'discovery.k8s.io': [{ resource: 'endpointslices', kind: 'EndpointSlice' }],
  'events.k8s.io': [{ resource: 'events', kind: 'Event', shortNames: ['ev'] }],
  'coordination.k8s.io': [{ resource: 'leases', kind: 'Lease' }],
  'node.k8s.io': [{ resource: 'runtimeclasses', kind: 'RuntimeClass', scope: 'Cluster' }],
  'storage.k8s.io': [
    {
      resource: 'volumeattachments',
      kind: 'VolumeAttachment',
      scope: 'Cluster',
      subresources: [status],
    },
  ],
  'rbac.authorization.k8s.io': [
    { resource: 'clusterrolebindings', kind: 'ClusterRoleBinding', scope: 'Cluster' },
    { resource: 'clusterroles', kind: 'ClusterRole', scope: 'Cluster' },
    { resource: 'rolebindings', kind: 'RoleBinding' },
    { resource: 'roles', kind: 'Role' },
  ],
};

function including(parts: readonly object[]): unknown {
  return expect.arrayContaining(parts.map((part) => expect.objectContaining(part)));
}

/** `v1` of the group in a document of all of them. */
function resourcesIn(document: unknown, group: string): readonly Readonly<Record<string, unknown>>[] {
  const groups: unknown = Reflect.get(Object(document), 'items');
  const found: unknown = (Array.isArray(groups) ? groups : []).find(
    (one) => (Reflect.get(Object(Reflect.get(one, 'metadata')), 'name') ?? '') === group,
  );
  const versions: unknown = Reflect.get(Object(found), 'versions');
  const version: unknown = (Array.isArray(versions) ? versions : []).find(
    (one) => Reflect.get(one, 'version') === 'v1',
  );
  const resources: unknown = Reflect.get(Object(version), 'resources');
  return Array.isArray(resources) ? resources : [];
}

function wholeEntry({ resource, kind, scope = 'Namespaced', subresources, ...more }: ExpectedKind): object {
  return {
    resource,
    responseKind: { group: '', version: '', kind },
    scope,
    singularResource: kind.toLowerCase(),
    verbs,
    ...more,
    ...(subresources !== undefined && { subresources: including(subresources.map(Object)) }),
  };
}

export const builtinDiscoveryCases: readonly Case[] = [
  {
    rule: 'discovery lists every built-in kind with its names, its scope, its verbs and its subresources',
    run: async ({ target }) => {
      const core = await target.request({ method: 'GET', path: '/api', accept: aggregated });
      const others = await target.request({ method: 'GET', path: '/apis', accept: aggregated });
      for (const [group, kinds] of Object.entries(expectedKinds)) {
        const entries = resourcesIn((group === '' ? core : others).body, group);
        const known = new Set(kinds.map(({ resource }) => resource));
        const bare = new Set(
          kinds.filter(({ subresources }) => subresources === undefined).map(({ resource }) => resource),
        );
        const found = entries
          .filter(({ resource }) => known.has(String(resource)))
          // Token subresources are not part of this case.
          .map(({ subresources, ...entry }) =>
            bare.has(String(entry['resource'])) ? entry : { ...entry, subresources },
          );
        expect(found.toSorted((a, b) => (String(a['resource']) < String(b['resource']) ? -1 : 1))).toEqual(
          kinds.map(wholeEntry),
        );
      }
    },
  },
  {
    rule: 'a list of built-in objects as a table has the columns of its kind',
    run: async (context) => {
      const columns = {
        configMaps: 'Name Data Age',
        secrets: 'Name Type Data Age',
        serviceAccounts: 'Name Age',
        namespaces: 'Name Status Age',
        pods: 'Name Ready Status Restarts Age IP* Node* Nominated-Node* Readiness-Gates*',
        nodes:
          'Name Status Roles Age Version Internal-IP* External-IP* OS-Image* Kernel-Version* Container-Runtime*',
        coreEvents: 'Last-Seen Type Reason Object Subobject* Source* Message First-Seen* Count* Name*',
        newEvents: 'Last-Seen Type Reason Object Subobject* Source* Message First-Seen* Count* Name*',
        leases: 'Name Holder Age',
        services: 'Name Type Cluster-IP External-IP Port(s) Age Selector*',
        endpoints: 'Name Endpoints Age',
        endpointSlices: 'Name AddressType Ports Endpoints Age',
        deployments: 'Name Ready Up-to-date Available Age Containers* Images* Selector*',
        roles: 'Name Created-At',
        clusterRoles: 'Name Created-At',
        roleBindings: 'Name Role Age Users* Groups* ServiceAccounts*',
        clusterRoleBindings: 'Name Role Age Users* Groups* ServiceAccounts*',
        runtimeClasses: 'Name Handler Age',
      } as const;
      for (const [name, wanted] of Object.entries(columns)) {
        const collection: unknown = Reflect.get(context, name);
        const path = String(Reflect.get(Object(collection), 'path').call(collection));
        const { body } = await context.target.request({ method: 'GET', path, accept: asTable });
        const definitions: unknown = Reflect.get(Object(body), 'columnDefinitions');
        const found = (Array.isArray(definitions) ? definitions : []).map((one) => {
          expect(one).toMatchObject({ type: one.name === 'Created At' ? 'date' : 'string' });
          return `${String(one.name).replaceAll(' ', '-')}${one.priority === 0 ? '' : '*'}`;
        });
        expect(`${name}: ${found.join(' ')}`).toBe(`${name}: ${wanted}`);
      }
    },
  },
  {
    rule: 'the rows of built-in objects summarize the objects',
    run: async (context) => {
      const { services, endpoints, deployments, roleBindings, roles, leases, target } = context;
      const rowsOf = async (path: string): Promise<unknown> => {
        const { body } = await target.request({ method: 'GET', path, accept: asTable });
        const rows: unknown = Reflect.get(Object(body), 'rows');
        return (Array.isArray(rows) ? rows : []).map((row) => row.cells);
      };
      await createPod(context, { containers: [{ name: 'main', image: 'none' }] });
      expect(await rowsOf(context.pods.path('a'))).toEqual([
        ['a', '0/1', 'Pending', '0', age, '<none>', '<none>', '<none>', '<none>'],
      ]);
      const spec = { type: 'ExternalName', externalName: 'a.b', ports: [{ port: 80 }], selector: { x: 'y' } };
      objectIn(await services.post(services.draft('a', { spec })), 201);
      expect(await rowsOf(services.path('a'))).toEqual([
        ['a', 'ExternalName', '<none>', 'a.b', '80/TCP', age, 'x=y'],
      ]);
      const addresses = [1, 2, 3, 4].map((host) => ({ ip: `10.1.1.${host}` }));
      objectIn(
        await endpoints.post(endpoints.draft('a', { subsets: [{ addresses, ports: [{ port: 80 }] }] })),
        201,
      );
      expect(await rowsOf(endpoints.path('a'))).toEqual([
        ['a', '10.1.1.1:80,10.1.1.2:80,10.1.1.3:80 + 1 more...', age],
      ]);
      const labels = { app: 'x' };
      const template = { metadata: { labels }, spec: { containers: [{ name: 'main', image: 'none' }] } };
      const draft = deployments.draft('a', { spec: { selector: { matchLabels: labels }, template } });
      objectIn(await deployments.post(draft), 201);
      expect(await rowsOf(deployments.path('a'))).toEqual([['a', '0/1', 0, 0, age, 'main', 'none', 'app=x']]);
      const subjects = [
        { kind: 'User', name: 'u' },
        { kind: 'User', name: 'v' },
        { kind: 'ServiceAccount', name: 's', namespace: 'n' },
      ];
      const roleRef = { kind: 'Role', name: 'reader' };
      objectIn(await roleBindings.post(roleBindings.draft('a', { roleRef, subjects })), 201);
      expect(await rowsOf(roleBindings.path('a'))).toEqual([['a', 'Role/reader', age, 'u, v', '', 'n/s']]);
      const role = objectIn(await roles.post(roles.draft('a')), 201);
      expect(await rowsOf(roles.path('a'))).toEqual([['a', role.metadata.creationTimestamp]]);
      objectIn(await leases.post(leases.draft('a', { spec: { holderIdentity: 'me' } })), 201);
      expect(await rowsOf(leases.path('a'))).toEqual([['a', 'me', age]]);
    },
  },
];
