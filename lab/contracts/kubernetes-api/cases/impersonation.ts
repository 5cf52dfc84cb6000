/** Impersonation: each part of the other identity needs a permission. */
import { expect } from 'vitest';
import type { Case } from '../case.ts';
import { expectFailure } from '../failure.ts';
import { objectIn } from '../kube-object.ts';
import { rbacResources, roleRef } from '../personas.ts';
import type { Persona, Response } from '../target.ts';
import { untilAnswer } from '../until.ts';

const refused = { code: 403, reason: 'Forbidden' } as const;
const path = '/apis/authentication.k8s.io/v1/selfsubjectreviews';
const body = { apiVersion: 'authentication.k8s.io/v1', kind: 'SelfSubjectReview' };

export const impersonationCases: readonly Case[] = [
  {
    rule: 'an anonymous caller cannot impersonate',
    run: async ({ target }) => {
      const as = { user: 'someone', groups: ['system:masters'] };
      expectFailure(await target.request({ method: 'POST', path, body, token: '', as }), refused);
    },
  },
  {
    rule: 'an administrator impersonates any user, with the implied groups of that user',
    run: async ({ target, namespace }) => {
      const ask = async (as: Persona): Promise<unknown> =>
        objectIn(await target.request({ method: 'POST', path, body, as }), 201)['status'];
      const extra = { scopes: ['all'] };
      expect(await ask({ user: 'someone', groups: ['team'], uid: 'of-someone', extra })).toMatchObject({
        userInfo: { username: 'someone', groups: ['team', 'system:authenticated'], uid: 'of-someone', extra },
      });
      expect(await ask({ user: `system:serviceaccount:${namespace}:default` })).toMatchObject({
        userInfo: {
          groups: ['system:serviceaccounts', `system:serviceaccounts:${namespace}`, 'system:authenticated'],
        },
      });
    },
  },
  {
    rule: 'the permission to impersonate a user does not cover groups',
    run: async ({ target, serviceAccounts, namespace, suffix, of }) => {
      const [roles, bindings] = [of(rbacResources.clusterRoles), of(rbacResources.clusterRoleBindings)];
      const name = `actor-${suffix}`;
      objectIn(await serviceAccounts.post(serviceAccounts.draft('actor')), 201);
      const rules = [
        { apiGroups: [''], resources: ['users'], resourceNames: ['someone'], verbs: ['impersonate'] },
      ];
      objectIn(await roles.post(roles.draft(name, { rules })), 201);
      const subjects = [{ kind: 'ServiceAccount', name: 'actor', namespace }];
      objectIn(
        await bindings.post(bindings.draft(name, { roleRef: roleRef('ClusterRole', name), subjects })),
        201,
      );
      const token = tokenIn(
        await target.request({ method: 'POST', path: serviceAccounts.path('actor', 'token'), body: {} }),
      );
      const ask = (as: Persona): Promise<Response> =>
        target.request({ method: 'POST', path, body, token, as });
      const known = await untilAnswer(
        () => ask({ user: 'someone' }),
        ({ status }) => status === 201,
      );
      expect(objectIn(known, 201)['status']).toMatchObject({ userInfo: { username: 'someone' } });
      expectFailure(await ask({ user: 'someone', groups: ['system:masters'] }), refused);
      expectFailure(await ask({ user: 'someone-else' }), refused);
      expectFailure(await ask({ user: 'someone', uid: 'of-another' }), refused);
      expectFailure(await ask({ user: 'someone', extra: { scopes: ['all'] } }), refused);
      expectFailure(await ask({ user: `system:serviceaccount:${namespace}:default` }), refused);
    },
  },
];

function tokenIn(response: Response): string {
  const { status } = objectIn(response, 201);
  return typeof status === 'object' && status !== null && 'token' in status ? String(status.token) : '';
}
