/** Access reviews: answered from the same roles that authorize requests. */
import { expect } from 'vitest';
import type { Case } from '../case.ts';
import { expectFailure } from '../failure.ts';
import { objectIn } from '../kube-object.ts';
import { holder, isAllowed, persona, review } from '../personas.ts';

const authorization = '/apis/authorization.k8s.io/v1';
const readSecrets = { apiGroups: [''], resources: ['secrets'], verbs: ['get', 'list'] };

function question(kind: string, spec: object): object {
  return { apiVersion: 'authorization.k8s.io/v1', kind, spec };
}

export const accessReviewsCases: readonly Case[] = [
  {
    rule: 'every authenticated user may review the own permissions',
    run: async (context) => {
      const { namespace } = context;
      const reader = await holder(context, 'reader', [readSecrets]);
      const path = `${authorization}/selfsubjectaccessreviews`;
      const ask = async (verb: string): Promise<boolean> => {
        const resourceAttributes = { namespace, verb, resource: 'secrets' };
        const body = question('SelfSubjectAccessReview', { resourceAttributes });
        return isAllowed(await reader.ask({ method: 'POST', path, body }));
      };
      expect([await ask('get'), await ask('list'), await ask('delete'), await ask('*')]).toEqual([
        true,
        true,
        false,
        false,
      ]);
    },
  },
  {
    rule: 'a review names a resource or a path, and not both',
    run: async ({ target, namespace }) => {
      const resourceAttributes = { namespace, verb: 'get', resource: 'pods' };
      const nonResourceAttributes = { path: '/version', verb: 'get' };
      expect(isAllowed(await review(target, { user: 'a', nonResourceAttributes }))).toBe(false);
      expect(
        isAllowed(
          await review(target, { user: 'a', groups: ['system:authenticated'], nonResourceAttributes }),
        ),
      ).toBe(true);
      expectFailure(await review(target, { user: 'a' }), {
        code: 422,
        reason: 'Invalid',
        fields: ['spec.resourceAttributes'],
      });
      expectFailure(await review(target, { user: 'a', resourceAttributes, nonResourceAttributes }), {
        code: 422,
        reason: 'Invalid',
        fields: ['spec.nonResourceAttributes'],
      });
    },
  },
  {
    rule: 'a review about others names a user or a group',
    run: async ({ target, namespace }) => {
      const resourceAttributes = { namespace, verb: 'get', resource: 'pods' };
      expectFailure(await review(target, { resourceAttributes }), {
        code: 422,
        reason: 'Invalid',
        fields: ['spec.user'],
      });
      expect(isAllowed(await review(target, { groups: ['system:masters'], resourceAttributes }))).toBe(true);
    },
  },
  {
    rule: 'a local review is about its own namespace only',
    run: async ({ target, namespace }) => {
      const path = `${authorization}/namespaces/${namespace}/localsubjectaccessreviews`;
      const ask = (where: string) => {
        const resourceAttributes = { namespace: where, verb: 'get', resource: 'pods' };
        const body = question('LocalSubjectAccessReview', { user: 'a', resourceAttributes });
        return target.request({ method: 'POST', path, body });
      };
      expect(isAllowed(await ask(namespace))).toBe(false);
      expectFailure(await ask('default'), {
        code: 422,
        reason: 'Invalid',
        fields: ['spec.resourceAttributes.namespace'],
      });
    },
  },
  {
    rule: 'a review of rules lists the permissions of a user in a namespace',
    run: async (context) => {
      const { namespace } = context;
      const reader = await holder(context, 'reader', [readSecrets]);
      const path = `${authorization}/selfsubjectrulesreviews`;
      const body = question('SelfSubjectRulesReview', { namespace });
      const { status } = objectIn(await reader.ask({ method: 'POST', path, body }), 201);
      expect(status).toMatchObject({
        incomplete: false,
        resourceRules: expect.arrayContaining([expect.objectContaining(readSecrets)]),
        nonResourceRules: expect.arrayContaining([
          expect.objectContaining({ verbs: ['get'], nonResourceURLs: expect.arrayContaining(['/version']) }),
        ]),
      });
    },
  },
  {
    rule: 'every authenticated user may review the own identity',
    run: async (context) => {
      const someone = persona(context, `someone-${context.suffix}`);
      const body = { apiVersion: 'authentication.k8s.io/v1', kind: 'SelfSubjectReview' };
      const path = '/apis/authentication.k8s.io/v1/selfsubjectreviews';
      const { status } = objectIn(await someone.ask({ method: 'POST', path, body }), 201);
      expect(status).toMatchObject({
        userInfo: { username: someone.user, groups: ['system:authenticated'] },
      });
    },
  },
  {
    rule: 'a review can be created and not read',
    run: async ({ target }) => {
      const path = `${authorization}/selfsubjectaccessreviews`;
      expectFailure(await target.request({ method: 'GET', path }), { code: 405, reason: 'MethodNotAllowed' });
    },
  },
];
