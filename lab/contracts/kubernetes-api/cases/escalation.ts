/** Privilege escalation: a user cannot grant permissions that the user does not have. */
import { isDeepStrictEqual } from 'node:util';
import { expect } from 'vitest';
import type { Case } from '../case.ts';
import { expectFailure } from '../failure.ts';
import { objectIn } from '../kube-object.ts';
import { untilAnswer } from '../until.ts';
import { clusterHolder, holder, rbacResources, roleRef, subjectOf } from '../personas.ts';

const refused = { code: 403, reason: 'Forbidden' } as const;
const group = 'rbac.authorization.k8s.io';
const writeRoles = { apiGroups: [group], resources: ['roles'], verbs: ['create', 'update', 'patch'] };
const readSecrets = { apiGroups: [''], resources: ['secrets'], verbs: ['get', 'list'] };

export const escalationCases: readonly Case[] = [
  {
    rule: 'only a user with all rules of a role may write the role',
    run: async (context) => {
      const roles = context.of(rbacResources.roles);
      const writer = await holder(context, 'writer', [writeRoles, readSecrets]);
      const post = (rules: unknown) =>
        writer.ask({ method: 'POST', path: roles.path(), body: roles.draft('given', { rules }) });
      expectFailure(await post([{ ...readSecrets, verbs: ['delete'] }]), refused);
      expectFailure(await post([{ ...readSecrets, resources: ['*'] }]), refused);
      expectFailure(await post([{ ...readSecrets, verbs: ['*'] }]), refused);
      objectIn(await post([{ ...readSecrets, resourceNames: ['a'] }]), 201);
    },
  },
  {
    rule: 'a role cannot be widened by a patch either',
    run: async (context) => {
      const roles = context.of(rbacResources.roles);
      const writer = await holder(context, 'writer', [writeRoles, readSecrets]);
      objectIn(await roles.post(roles.draft('given', { rules: [readSecrets] })), 201);
      const patch = (body: unknown) =>
        writer.ask({
          method: 'PATCH',
          path: roles.path('given'),
          contentType: 'application/merge-patch+json',
          body,
        });
      expectFailure(await patch({ rules: [{ ...readSecrets, verbs: ['delete'] }] }), refused);
      expect(objectIn(await patch({ metadata: { labels: { a: 'b' } } })).metadata.labels).toEqual({ a: 'b' });
      objectIn(await patch({ rules: [{ ...readSecrets, verbs: ['get'] }] }));
    },
  },
  {
    rule: 'the verb escalate on a role lifts this check',
    run: async (context) => {
      const roles = context.of(rbacResources.roles);
      const verbs = ['create', 'escalate'];
      const writer = await holder(context, 'writer', [{ ...writeRoles, verbs }]);
      const body = roles.draft('given', { rules: [readSecrets] });
      objectIn(await writer.ask({ method: 'POST', path: roles.path(), body }), 201);
    },
  },
  {
    rule: 'only a user with all rules of a role, or with the verb bind on it, may bind the role',
    run: async (context) => {
      const roles = context.of(rbacResources.roles);
      const bindings = context.of(rbacResources.roleBindings);
      objectIn(await roles.post(roles.draft('secret-reader', { rules: [readSecrets] })), 201);
      const create = { apiGroups: [group], resources: ['rolebindings'], verbs: ['create'] };
      const bind = {
        apiGroups: [group],
        resources: ['roles'],
        resourceNames: ['secret-reader'],
        verbs: ['bind'],
      };
      const plain = await holder(context, 'plain', [create]);
      const equal = await holder(context, 'equal', [create, readSecrets]);
      const binder = await holder(context, 'binder', [create, bind]);
      const body = (name: string, role = 'secret-reader') =>
        bindings.draft(name, { roleRef: roleRef('Role', role), subjects: [subjectOf('friend')] });
      const post = { method: 'POST', path: bindings.path() } as const;
      expectFailure(await plain.ask({ ...post, body: body('by-plain') }), refused);
      objectIn(await equal.ask({ ...post, body: body('by-equal') }), 201);
      objectIn(await binder.ask({ ...post, body: body('by-binder') }), 201);
      expectFailure(await equal.ask({ ...post, body: body('to-nothing', 'missing') }), {
        code: 404,
        reason: 'NotFound',
      });
    },
  },
  {
    rule: 'permissions in a namespace do not allow granting them for the cluster',
    run: async (context) => {
      const clusterRoles = context.of(rbacResources.clusterRoles);
      const writer = await clusterHolder(context, 'writer', [
        { apiGroups: [group], resources: ['clusterroles'], verbs: ['create'] },
      ]);
      const body = clusterRoles.draft(`given-${context.suffix}`, { rules: [readSecrets] });
      expectFailure(await writer.ask({ method: 'POST', path: clusterRoles.path(), body }), refused);
    },
  },
  {
    rule: 'only a user with all permissions may write an aggregated role',
    run: async (context) => {
      const clusterRoles = context.of(rbacResources.clusterRoles);
      const writer = await clusterHolder(context, 'writer', [
        { apiGroups: [group], resources: ['clusterroles'], verbs: ['create'] },
      ]);
      const clusterRoleSelectors = [{ matchLabels: { a: 'b' } }];
      const body = clusterRoles.draft(`given-${context.suffix}`, {
        aggregationRule: { clusterRoleSelectors },
        rules: [],
      });
      expectFailure(await writer.ask({ method: 'POST', path: clusterRoles.path(), body }), refused);
    },
  },
  {
    rule: 'permissions for one object, one group or one path cannot be granted more widely',
    run: async (context) => {
      const clusterRoles = context.of(rbacResources.clusterRoles);
      const held = [
        { ...readSecrets, resourceNames: ['a'] },
        { nonResourceURLs: ['/metrics', '/logs/*'], verbs: ['get'] },
      ];
      const create = { apiGroups: [group], resources: ['clusterroles'], verbs: ['create'] };
      const writer = await clusterHolder(context, 'writer', [create, ...held]);
      const post = (name: string, rule: unknown) =>
        writer.ask({
          method: 'POST',
          path: clusterRoles.path(),
          body: clusterRoles.draft(`${name}-${context.suffix}`, { rules: [rule] }),
        });
      expectFailure(await post('all-names', readSecrets), refused);
      expectFailure(await post('other-name', { ...readSecrets, resourceNames: ['a', 'b'] }), refused);
      expectFailure(
        await post('other-group', { ...readSecrets, apiGroups: ['apps'], resourceNames: ['a'] }),
        refused,
      );
      expectFailure(await post('other-path', { nonResourceURLs: ['/metrics/all'], verbs: ['get'] }), refused);
      objectIn(await post('same-name', { ...readSecrets, resourceNames: ['a'] }), 201);
      objectIn(
        await post('same-path', { nonResourceURLs: ['/metrics', '/logs/today'], verbs: ['get'] }),
        201,
      );
    },
  },
  {
    rule: 'only a user with all permissions may turn an aggregated role into an ordinary role',
    run: async (context) => {
      const clusterRoles = context.of(rbacResources.clusterRoles);
      const name = `gathers-${context.suffix}`;
      const clusterRoleSelectors = [{ matchLabels: { nobody: context.suffix } }];
      const draft = clusterRoles.draft(name, { aggregationRule: { clusterRoleSelectors }, rules: [] });
      objectIn(await clusterRoles.post(draft), 201);
      const writer = await clusterHolder(context, 'writer', [
        { apiGroups: [group], resources: ['clusterroles'], verbs: ['patch'] },
      ]);
      const patch = {
        method: 'PATCH',
        path: clusterRoles.path(name),
        contentType: 'application/merge-patch+json',
        body: { aggregationRule: null },
      } as const;
      expectFailure(await writer.ask(patch), refused);
    },
  },
  {
    rule: 'a user who may write a role may remove its finalizers',
    run: async (context) => {
      const roles = context.of(rbacResources.roles);
      const writer = await holder(context, 'writer', [writeRoles]);
      const metadata = { finalizers: ['example.com/held'] };
      objectIn(await roles.post(roles.draft('held', { metadata, rules: [readSecrets] })), 201);
      const patch = (body: unknown) =>
        writer.ask({
          method: 'PATCH',
          path: roles.path('held'),
          contentType: 'application/merge-patch+json',
          body,
        });
      expectFailure(await patch({ metadata: { labels: { a: 'b' } } }), refused);
      objectIn(await patch({ metadata: { finalizers: null } }));
    },
  },
  {
    rule: 'an aggregated role has the rules of the roles that its selectors match, and none of its own',
    needs: ['clusterRoleController'],
    run: async (context) => {
      const clusterRoles = context.of(rbacResources.clusterRoles);
      const { suffix } = context;
      const labels = { gathered: suffix };
      const write = { ...readSecrets, verbs: ['create'] };
      const part = (name: string, rules: readonly unknown[]) =>
        clusterRoles.draft(`${name}-${suffix}`, { metadata: { labels }, rules });
      objectIn(await clusterRoles.post(part('one', [readSecrets])), 201);
      objectIn(await clusterRoles.post(part('two', [write, readSecrets])), 201);
      const aggregationRule = { clusterRoleSelectors: [{ matchLabels: labels }] };
      const own = [{ ...readSecrets, verbs: ['delete'] }];
      objectIn(await clusterRoles.post({ ...part('whole', own), aggregationRule }), 201);
      const gathered = (...rules: readonly unknown[]) =>
        untilAnswer(
          () => clusterRoles.get(`whole-${suffix}`),
          (answer) => isDeepStrictEqual(objectIn(answer)['rules'], rules),
        );
      await gathered(readSecrets, write);
      expect(await clusterRoles.delete(`two-${suffix}`)).toMatchObject({ status: 200 });
      await gathered(readSecrets);
    },
  },
];
