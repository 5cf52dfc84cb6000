/** Roles and permissions. A request that no role allows is refused before any other check. */
import { expect } from 'vitest';
import type { Case } from '../case.ts';
import { expectFailure } from '../failure.ts';
import { namesIn, objectIn } from '../kube-object.ts';
import { clusterHolder, holder, persona, rbacResources, roleRef, subjectOf } from '../personas.ts';
import { untilAnswer } from '../until.ts';

const refused = { code: 403, reason: 'Forbidden' } as const;
const read = ['get', 'list', 'watch'];

export const authorizationCases: readonly Case[] = [
  {
    rule: 'a user without a role may read no object, whether or not the object exists',
    run: async (context) => {
      const { secrets } = context;
      const nobody = persona(context, `nobody-${context.suffix}`);
      objectIn(await secrets.post(secrets.draft('a')), 201);
      for (const name of ['a', 'missing'])
        expectFailure(await nobody.ask({ method: 'GET', path: secrets.path(name) }), refused);
      expectFailure(await nobody.ask({ method: 'GET', path: '/apis/no.such.group/v1/things' }), refused);
    },
  },
  {
    rule: 'every authenticated user may read discovery and the version',
    run: async (context) => {
      const nobody = persona(context, `nobody-${context.suffix}`);
      for (const path of [
        '/api',
        '/apis',
        '/api/v1',
        '/apis/coordination.k8s.io/v1',
        '/openapi/v3',
        '/version',
      ])
        expect(await nobody.ask({ method: 'GET', path })).toMatchObject({ status: 200 });
    },
  },
  {
    rule: 'a caller without credentials is anonymous: may read the version and nothing else',
    run: async ({ target, secrets }) => {
      const ask = (path: string) => target.request({ method: 'GET', path, token: '' });
      expect(await ask('/version')).toMatchObject({ status: 200 });
      expectFailure(await ask('/api'), refused);
      expectFailure(await ask(secrets.path()), refused);
    },
  },
  {
    rule: 'a role allows its verbs in its namespace and nowhere else',
    run: async (context) => {
      const { secrets, namespaces, suffix, of } = context;
      const reader = await holder(context, 'reader', [
        { apiGroups: [''], resources: ['secrets'], verbs: read },
      ]);
      objectIn(await secrets.post(secrets.draft('a')), 201);
      expect(namesIn(await reader.ask({ method: 'GET', path: secrets.path() }))).toContain('a');
      objectIn(await reader.ask({ method: 'GET', path: secrets.path('a') }));
      expectFailure(await reader.ask({ method: 'DELETE', path: secrets.path('a') }), refused);
      expectFailure(
        await reader.ask({ method: 'POST', path: secrets.path(), body: secrets.draft('b') }),
        refused,
      );
      objectIn(await namespaces.post(namespaces.draft(`other-${suffix}`)), 201);
      const elsewhere = of(secrets.resource, `other-${suffix}`);
      expectFailure(await reader.ask({ method: 'GET', path: elsewhere.path() }), refused);
      expectFailure(await reader.ask({ method: 'GET', path: '/api/v1/secrets' }), refused);
    },
  },
  {
    rule: 'list and watch are verbs of their own',
    run: async (context) => {
      const { secrets } = context;
      const lister = await holder(context, 'lister', [
        { apiGroups: [''], resources: ['secrets'], verbs: ['list'] },
      ]);
      expect(await lister.ask({ method: 'GET', path: secrets.path() })).toMatchObject({ status: 200 });
      const query = { watch: 'true', timeoutSeconds: '1' };
      expectFailure(await lister.ask({ method: 'GET', path: secrets.path(), query }), refused);
    },
  },
  {
    rule: 'a name in a rule limits it to that object, and to lists that select it',
    run: async (context) => {
      const { secrets } = context;
      const reader = await holder(context, 'reader', [
        { apiGroups: [''], resources: ['secrets'], resourceNames: ['a'], verbs: ['get', 'list', 'create'] },
      ]);
      for (const name of ['a', 'b']) objectIn(await secrets.post(secrets.draft(name)), 201);
      objectIn(await reader.ask({ method: 'GET', path: secrets.path('a') }));
      expectFailure(await reader.ask({ method: 'GET', path: secrets.path('b') }), refused);
      expectFailure(await reader.ask({ method: 'GET', path: secrets.path() }), refused);
      const query = { fieldSelector: 'metadata.name=a' };
      expect(namesIn(await reader.ask({ method: 'GET', path: secrets.path(), query }))).toEqual(['a']);
      const create = { method: 'POST', path: secrets.path(), body: secrets.draft('a') } as const;
      expectFailure(await reader.ask(create), refused);
    },
  },
  {
    rule: 'a subresource needs a permission of its own',
    run: async (context) => {
      const { widgets } = context;
      const rule = { apiGroups: [widgets.resource.group ?? ''], verbs: ['patch'] };
      const keeper = await holder(context, 'keeper', [{ ...rule, resources: ['widgets/status'] }]);
      objectIn(await widgets.post(widgets.draft('a', { spec: { size: 1 } })), 201);
      const patch = { method: 'PATCH', contentType: 'application/merge-patch+json' } as const;
      const status = { status: { phase: 'Ready' } };
      objectIn(await keeper.ask({ ...patch, path: widgets.path('a', 'status'), body: status }));
      expectFailure(await keeper.ask({ ...patch, path: widgets.path('a'), body: {} }), refused);
    },
  },
  {
    rule: 'a star before a slash allows that subresource of everything',
    run: async (context) => {
      const { widgets } = context;
      const keeper = await holder(context, 'keeper', [
        { apiGroups: ['*'], resources: ['*/status'], verbs: ['*'] },
      ]);
      objectIn(await widgets.post(widgets.draft('a', { spec: { size: 1 } })), 201);
      objectIn(await keeper.ask({ method: 'GET', path: widgets.path('a', 'status') }));
      expectFailure(await keeper.ask({ method: 'GET', path: widgets.path('a') }), refused);
    },
  },
  {
    rule: 'a ClusterRole bound in a namespace holds there only; bound for the cluster, everywhere',
    run: async (context) => {
      const { secrets, suffix, of } = context;
      const name = `reads-${suffix}`;
      const roles = of(rbacResources.clusterRoles);
      const bindings = of(rbacResources.roleBindings);
      const rules = [{ apiGroups: [''], resources: ['secrets'], verbs: read }];
      objectIn(await roles.post(roles.draft(name, { rules })), 201);
      const local = persona(context, `local-${suffix}`);
      const bound = { roleRef: roleRef('ClusterRole', name), subjects: [subjectOf(local.user)] };
      objectIn(await bindings.post(bindings.draft('local', bound)), 201);
      await untilAnswer(
        () => local.ask({ method: 'GET', path: secrets.path() }),
        ({ status }) => status === 200,
      );
      expectFailure(await local.ask({ method: 'GET', path: '/api/v1/secrets' }), refused);
      const everywhere = await clusterHolder(context, 'everywhere', rules);
      expect(await everywhere.ask({ method: 'GET', path: '/api/v1/secrets' })).toMatchObject({ status: 200 });
    },
  },
  {
    rule: 'a role in a namespace may cover the namespace itself',
    run: async (context) => {
      const { namespaces, namespace } = context;
      const member = await holder(context, 'member', [
        { apiGroups: [''], resources: ['namespaces'], verbs: ['get'] },
      ]);
      objectIn(await member.ask({ method: 'GET', path: namespaces.path(namespace) }));
      expectFailure(await member.ask({ method: 'GET', path: namespaces.path('default') }), refused);
    },
  },
  {
    rule: 'a binding to a group holds for all its members',
    run: async (context) => {
      const { target, secrets, suffix, of } = context;
      const bindings = of(rbacResources.roleBindings);
      const group = `team-${suffix}`;
      const subjects = [{ kind: 'Group', apiGroup: 'rbac.authorization.k8s.io', name: group }];
      const bound = { roleRef: roleRef('ClusterRole', 'edit'), subjects };
      objectIn(await bindings.post(bindings.draft('team', bound)), 201);
      const ask = (groups: readonly string[]) =>
        target.request({ method: 'GET', path: secrets.path(), as: { user: 'member', groups } });
      await untilAnswer(
        () => ask([group]),
        ({ status }) => status === 200,
      );
      expectFailure(await ask([`other-${suffix}`]), refused);
    },
  },
  {
    rule: 'a permission ends with its binding',
    run: async (context) => {
      const { secrets, of } = context;
      const reader = await holder(context, 'reader', [
        { apiGroups: [''], resources: ['secrets'], verbs: read },
      ]);
      expect(await of(rbacResources.roleBindings).delete('reader')).toMatchObject({ status: 200 });
      await untilAnswer(
        () => reader.ask({ method: 'GET', path: secrets.path() }),
        ({ status }) => status === 403,
      );
    },
  },
  {
    rule: 'the roles admin, edit and view grant what their names say',
    run: async (context) => {
      const { of, secrets, configMaps, suffix } = context;
      const bindings = of(rbacResources.roleBindings);
      for (const name of ['admin', 'edit', 'view']) {
        const bound = { roleRef: roleRef('ClusterRole', name), subjects: [subjectOf(`${name}-${suffix}`)] };
        objectIn(await bindings.post(bindings.draft(name, bound)), 201);
        await untilAnswer(
          () => persona(context, `${name}-${suffix}`).ask({ method: 'GET', path: configMaps.path() }),
          ({ status }) => status === 200,
        );
      }
      const codes = async (path: string, method: 'GET' | 'DELETE'): Promise<readonly number[]> =>
        Promise.all(
          ['admin', 'edit', 'view'].map(
            async (name) => (await persona(context, `${name}-${suffix}`).ask({ method, path })).status,
          ),
        );
      expect(await codes(secrets.path(), 'GET')).toEqual([200, 200, 403]);
      expect(await codes(configMaps.path('missing'), 'DELETE')).toEqual([404, 404, 403]);
      expect(await codes(bindings.path(), 'GET')).toEqual([200, 403, 403]);
    },
  },
  {
    rule: 'a permission ends with its role',
    run: async (context) => {
      const { secrets, of } = context;
      const reader = await holder(context, 'reader', [
        { apiGroups: [''], resources: ['secrets'], verbs: read },
      ]);
      expect(await of(rbacResources.roles).delete('reader')).toMatchObject({ status: 200 });
      await untilAnswer(
        () => reader.ask({ method: 'GET', path: secrets.path() }),
        ({ status }) => status === 403,
      );
    },
  },
  {
    rule: 'a resource of the same name in another group needs its own rule',
    run: async (context) => {
      const { widgets } = context;
      const reader = await holder(context, 'reader', [
        { apiGroups: [''], resources: ['widgets'], verbs: read },
      ]);
      expectFailure(await reader.ask({ method: 'GET', path: widgets.path() }), refused);
    },
  },
  {
    rule: 'a selector does not count as the name that a rule requires of a create',
    run: async (context) => {
      const { secrets } = context;
      const maker = await holder(context, 'maker', [
        { apiGroups: [''], resources: ['secrets'], resourceNames: ['a'], verbs: ['create'] },
      ]);
      const query = { fieldSelector: 'metadata.name=a' };
      const body = secrets.draft('a');
      expectFailure(await maker.ask({ method: 'POST', path: secrets.path(), query, body }), refused);
    },
  },
  {
    rule: 'an empty segment in a path does not bypass the roles',
    run: async (context) => {
      const reader = await clusterHolder(context, 'reader', [
        { apiGroups: [''], resources: ['namespaces'], verbs: ['get', 'list'] },
      ]);
      for (const path of [
        '/api/v1/namespaces//secrets',
        '/api/v1//secrets',
        '/api/v1/namespaces/default//secrets',
      ])
        expect((await reader.ask({ method: 'GET', path })).status).toBeGreaterThanOrEqual(300);
    },
  },
  {
    rule: 'the permission to change objects does not allow creating them, neither by an apply nor by an update',
    run: async (context) => {
      const { configMaps, leases } = context;
      const verbs = ['get', 'patch', 'update'];
      const changer = await holder(context, 'changer', [
        { apiGroups: [''], resources: ['configmaps'], verbs },
        { apiGroups: ['coordination.k8s.io'], resources: ['leases'], verbs },
      ]);
      const apply = {
        method: 'PATCH',
        path: configMaps.path('a'),
        query: { fieldManager: 'changer' },
        contentType: 'application/apply-patch+yaml',
        body: configMaps.draft('a'),
      } as const;
      expectFailure(await changer.ask(apply), refused);
      expectFailure(await changer.ask({ ...apply, query: { ...apply.query, dryRun: 'All' } }), refused);
      const put = { method: 'PUT', path: leases.path('a'), body: leases.draft('a') } as const;
      expectFailure(await changer.ask(put), refused);
      objectIn(await configMaps.post(configMaps.draft('a')), 201);
      objectIn(await changer.ask(apply));
    },
  },
];
