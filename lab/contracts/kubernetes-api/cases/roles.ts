/** Roles, bindings and RuntimeClasses as stored objects; authorization has its own cases. */
import { expect } from 'vitest';
import type { Case } from '../case.ts';
import { expectFailure } from '../failure.ts';
import { objectIn } from '../kube-object.ts';

const invalid = { code: 422, reason: 'Invalid' };
const group = 'rbac.authorization.k8s.io';
const rule = { apiGroups: [''], resources: ['pods'], verbs: ['get'] };
const toRole = { kind: 'Role', name: 'reader' };

export const rolesCases: readonly Case[] = [
  {
    rule: 'a role without rules has them as null, and may be created by an update',
    run: async ({ roles, clusterRoles, suffix }) => {
      expect(objectIn(await roles.post(roles.draft('a')), 201)).toHaveProperty('rules', null);
      const name = `contract:role-${suffix}`;
      const created = objectIn(
        await clusterRoles.put(name, clusterRoles.draft(name, { rules: [rule] })),
        201,
      );
      expect(created).toHaveProperty('rules', [rule]);
      expect((await clusterRoles.delete(name)).body).toMatchObject({ kind: 'Status', status: 'Success' });
    },
  },
  {
    rule: 'a rule needs verbs, and either resources with groups or, in a ClusterRole only, paths',
    run: async ({ roles, clusterRoles, suffix }) => {
      const post = (rules: readonly unknown[]) => roles.post(roles.draft('a', { rules }));
      expectFailure(await post([rule, {}]), {
        ...invalid,
        fields: ['rules[1].verbs', 'rules[1].apiGroups', 'rules[1].resources'],
      });
      const paths = { nonResourceURLs: ['/metrics'], verbs: ['get'] };
      const fields = ['rules[0].nonResourceURLs'];
      expectFailure(await post([paths]), { ...invalid, fields });
      const name = `role-${suffix}`;
      const wide = (rules: readonly unknown[]) => clusterRoles.post(clusterRoles.draft(name, { rules }));
      expectFailure(await wide([{ ...paths, ...rule }]), { ...invalid, fields });
      objectIn(await wide([paths]), 201);
    },
  },
  {
    rule: 'a binding gets the default API groups of its role and its subjects',
    run: async ({ roleBindings }) => {
      const subjects = [
        { kind: 'User', name: 'u' },
        { kind: 'Group', name: 'g' },
        { kind: 'ServiceAccount', name: 's', namespace: 'n' },
      ];
      const draft = roleBindings.draft('a', { roleRef: toRole, subjects });
      expect(objectIn(await roleBindings.put('a', draft), 201)).toMatchObject({
        roleRef: { ...toRole, apiGroup: group },
        subjects: [{ ...subjects[0], apiGroup: group }, { ...subjects[1], apiGroup: group }, subjects[2]],
      });
    },
  },
  {
    rule: 'the role of a binding is immutable',
    run: async ({ roleBindings }) => {
      objectIn(await roleBindings.post(roleBindings.draft('a', { roleRef: toRole })), 201);
      const moved = await roleBindings.patch('a', { merge: { roleRef: { name: 'other' } } });
      expectFailure(moved, { ...invalid, fields: ['roleRef'] });
      const subjects = [{ kind: 'User', name: 'u' }];
      const bound = objectIn(
        await roleBindings.put('a', roleBindings.draft('a', { roleRef: toRole, subjects })),
      );
      expect(bound).toMatchObject({ subjects: [{ name: 'u' }] });
    },
  },
  {
    rule: 'a binding needs a role of a matching kind, and valid subjects',
    run: async ({ roleBindings, clusterRoleBindings, suffix }) => {
      const missing = await roleBindings.post(roleBindings.draft('a'));
      expectFailure(missing, { ...invalid, fields: ['roleRef.kind', 'roleRef.name'] });
      const subjects = [
        { kind: 'Robot', name: 'a' },
        { kind: 'ServiceAccount', name: '' },
        { kind: 'User', name: 'a', apiGroup: 'other' },
        { kind: 'ServiceAccount', name: 'a', namespace: 'n', apiGroup: 'other' },
      ];
      const draft = clusterRoleBindings.draft(`binding-${suffix}`, { roleRef: toRole, subjects });
      expectFailure(await clusterRoleBindings.post(draft), {
        ...invalid,
        fields: [
          'roleRef.kind',
          'subjects[0].kind',
          'subjects[1].name',
          'subjects[1].namespace',
          'subjects[2].apiGroup',
          'subjects[3].apiGroup',
        ],
      });
    },
  },
  {
    rule: 'the handler of a RuntimeClass is immutable; an update may create the class, and needs a revision otherwise',
    run: async ({ runtimeClasses, suffix }) => {
      const name = `runtime-${suffix}`;
      const fields = ['handler'];
      const bare = await runtimeClasses.post(runtimeClasses.draft(name));
      expectFailure(bare, { ...invalid, fields });
      const draft = runtimeClasses.draft(name, { handler: 'vm', overhead: { podFixed: { cpu: 0.25 } } });
      const created = objectIn(await runtimeClasses.put(name, draft), 201);
      expect(created).toMatchObject({ handler: 'vm', overhead: { podFixed: { cpu: '250m' } } });
      expectFailure(await runtimeClasses.put(name, draft), {
        ...invalid,
        fields: ['metadata.resourceVersion'],
      });
      const moved = await runtimeClasses.patch(name, { merge: { handler: 'other' } });
      expectFailure(moved, { ...invalid, fields });
    },
  },
];
