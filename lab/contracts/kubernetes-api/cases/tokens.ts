/** Tokens of ServiceAccounts: issuing, audiences, and expiry. */
import { expect } from 'vitest';
import type { Case, Context } from '../case.ts';
import { expectFailure } from '../failure.ts';
import { objectIn, type KubeObject } from '../kube-object.ts';
import type { Response } from '../target.ts';
import { untilAnswer } from '../until.ts';

const notFound = { code: 404, reason: 'NotFound' } as const;
const unauthorized = { code: 401, reason: 'Unauthorized' } as const;

async function requestToken({ target, serviceAccounts }: Context, spec: object, name = 'robot') {
  return target.request({
    method: 'POST',
    path: serviceAccounts.path(name, 'token'),
    body: { apiVersion: 'authentication.k8s.io/v1', kind: 'TokenRequest', spec },
  });
}

function tokenIn(response: Response): string {
  const { status } = objectIn(response, 201);
  const token = typeof status === 'object' && status !== null && 'token' in status ? status.token : undefined;
  expect(token).toEqual(expect.any(String));
  return String(token);
}

async function review({ target }: Context, token: string, audiences?: readonly string[]): Promise<unknown> {
  const answer = await target.request({
    method: 'POST',
    path: '/apis/authentication.k8s.io/v1/tokenreviews',
    body: { apiVersion: 'authentication.k8s.io/v1', kind: 'TokenReview', spec: { token, audiences } },
  });
  return objectIn(answer, 201)['status'];
}

function whoAmI({ target }: Context, token: string): Promise<Response> {
  return target.request({
    method: 'POST',
    path: '/apis/authentication.k8s.io/v1/selfsubjectreviews',
    body: { apiVersion: 'authentication.k8s.io/v1', kind: 'SelfSubjectReview' },
    token,
  });
}

const severalCount = 50;

async function severalTokens(context: Context, spec: object): Promise<readonly string[]> {
  const tokens: string[] = [];
  while (tokens.length < severalCount) tokens.push(tokenIn(await requestToken(context, spec)));
  return tokens;
}

/** A real server caches a good token for some seconds, so each attempt uses another token. */
async function untilRefused(context: Context, tokens: readonly string[]): Promise<void> {
  const fresh = [...tokens];
  await untilAnswer(
    () => whoAmI(context, fresh.shift() ?? ''),
    ({ status }) => status === 401,
  );
  expect(fresh).not.toEqual([]);
}

async function createRobot({ serviceAccounts }: Context): Promise<KubeObject> {
  return objectIn(await serviceAccounts.post(serviceAccounts.draft('robot')), 201);
}

async function createPod({ pods }: Context): Promise<KubeObject> {
  const containers = [{ name: 'main', image: 'none' }];
  const spec = { serviceAccountName: 'robot', automountServiceAccountToken: false, containers };
  return objectIn(await pods.post(pods.draft('a', { spec })), 201);
}

export const tokensCases: readonly Case[] = [
  {
    rule: 'the user of a token is its ServiceAccount, in the groups of all accounts and of its namespace',
    run: async (context) => {
      const { namespace } = context;
      const robot = await createRobot(context);
      const token = tokenIn(await requestToken(context, {}));
      const { status } = objectIn(await whoAmI(context, token), 201);
      expect(status).toMatchObject({
        userInfo: {
          username: `system:serviceaccount:${namespace}:robot`,
          uid: robot.metadata.uid,
          groups: ['system:serviceaccounts', `system:serviceaccounts:${namespace}`, 'system:authenticated'],
          extra: {
            'authentication.kubernetes.io/credential-id': [expect.stringMatching(/^JTI=[-0-9a-f]{36}$/)],
          },
        },
      });
    },
  },
  {
    rule: 'a token request sets the duration: an hour by default, ten minutes at least',
    run: async (context) => {
      await createRobot(context);
      const { spec, status, metadata } = objectIn(await requestToken(context, {}), 201);
      expect(spec).toMatchObject({ expirationSeconds: 3600, audiences: [expect.any(String)] });
      expect(status).toMatchObject({ expirationTimestamp: expect.stringMatching(/^\d{4}-.*Z$/) });
      expect(metadata).toMatchObject({ name: 'robot', namespace: context.namespace });
      expectFailure(await requestToken(context, { expirationSeconds: 599 }), {
        code: 422,
        reason: 'Invalid',
        fields: ['spec.expirationSeconds'],
      });
      expect(objectIn(await requestToken(context, { expirationSeconds: 600 }), 201)['spec']).toMatchObject({
        expirationSeconds: 600,
      });
      expectFailure(await requestToken(context, {}, 'missing'), notFound);
    },
  },
  {
    rule: 'a token review names the user of the token',
    run: async (context) => {
      await createRobot(context);
      const token = tokenIn(await requestToken(context, {}));
      expect(await review(context, token)).toMatchObject({
        authenticated: true,
        user: { username: `system:serviceaccount:${context.namespace}:robot` },
        audiences: [expect.any(String)],
      });
      for (const bad of [`${token.slice(0, -4)}AAAA`, 'a.b.c', 'nonsense'])
        expect(await review(context, bad)).toEqual({ user: {}, error: expect.any(String) });
    },
  },
  {
    rule: 'a token for an audience is valid for that audience alone, and not for the API itself',
    run: async (context) => {
      await createRobot(context);
      const token = tokenIn(await requestToken(context, { audiences: ['vault', 'shop'] }));
      expect(await review(context, token, ['shop', 'else'])).toMatchObject({
        authenticated: true,
        audiences: ['shop'],
      });
      expect(await review(context, token, ['else'])).not.toHaveProperty('authenticated');
      expect(await review(context, token)).not.toHaveProperty('authenticated');
      expectFailure(await whoAmI(context, token), unauthorized);
    },
  },
  {
    rule: 'a forged token is refused, even where anonymous callers are allowed',
    run: async ({ target }) => {
      for (const token of ['nonsense', 'a.b.c', 'eyJhbGciOiJub25lIn0.eyJzdWIiOiJhIn0.'])
        for (const path of ['/version', '/api/v1/secrets'])
          expectFailure(await target.request({ method: 'GET', path, token }), unauthorized);
    },
  },
  {
    rule: 'a token ends with its ServiceAccount, even when another of that name follows',
    run: async (context) => {
      const { serviceAccounts } = context;
      await createRobot(context);
      const tokens = await severalTokens(context, {});
      objectIn(await whoAmI(context, tokens[0] ?? ''), 201);
      expect(await serviceAccounts.delete('robot')).toMatchObject({ status: 200 });
      await createRobot(context);
      await untilRefused(context, tokens.slice(1));
    },
  },
  {
    rule: 'a token bound to a Pod names the Pod and ends with it',
    run: async (context) => {
      const { pods } = context;
      await createRobot(context);
      const pod = await createPod(context);
      const boundObjectRef = { apiVersion: 'v1', kind: 'Pod', name: 'a', uid: pod.metadata.uid };
      const [token = '', ...others] = await severalTokens(context, { boundObjectRef });
      const { status } = objectIn(await whoAmI(context, token), 201);
      expect(status).toMatchObject({
        userInfo: {
          extra: {
            'authentication.kubernetes.io/pod-name': ['a'],
            'authentication.kubernetes.io/pod-uid': [pod.metadata.uid],
          },
        },
      });
      objectIn(await pods.delete('a', { options: { gracePeriodSeconds: 0 } }));
      await untilRefused(context, others);
    },
  },
  {
    rule: 'a token is bound only to an existing object, by uid, and to a Pod of the same account',
    run: async (context) => {
      const { serviceAccounts } = context;
      await createRobot(context);
      await createPod(context);
      objectIn(await serviceAccounts.post(serviceAccounts.draft('other')), 201);
      const bound = { apiVersion: 'v1', kind: 'Pod', name: 'a' };
      const ask = (ref: object, name?: string) => requestToken(context, { boundObjectRef: ref }, name);
      expectFailure(await ask({ ...bound, name: 'missing' }), notFound);
      expectFailure(await ask({ ...bound, uid: '00000000-0000-0000-0000-000000000000' }), {
        code: 409,
        reason: 'Conflict',
      });
      expectFailure(await ask(bound, 'other'), { code: 400, reason: 'BadRequest' });
      expectFailure(await ask({ apiVersion: 'v1', kind: 'ConfigMap', name: 'a' }), {
        code: 400,
        reason: 'BadRequest',
      });
    },
  },
  {
    rule: 'a Secret of type service-account-token is filled',
    needs: ['accountControllers'],
    run: async (context) => {
      const { secrets, namespace } = context;
      const robot = await createRobot(context);
      const annotations = { 'kubernetes.io/service-account.name': 'robot' };
      const type = 'kubernetes.io/service-account-token';
      objectIn(await secrets.post(secrets.draft('key', { metadata: { annotations }, type })), 201);
      const filled = objectIn(
        await untilAnswer(
          () => secrets.get('key'),
          (answer) => answer.status === 200 && JSON.stringify(answer.body).includes('"token"'),
        ),
      );
      expect(filled.metadata.annotations).toMatchObject({
        'kubernetes.io/service-account.uid': robot.metadata.uid,
      });
      const { data } = filled;
      expect(data).toMatchObject({
        'ca.crt': expect.any(String),
        namespace: Buffer.from(namespace).toString('base64'),
      });
      const text = typeof data === 'object' && data !== null && 'token' in data ? String(data.token) : '';
      const { status } = objectIn(await whoAmI(context, Buffer.from(text, 'base64').toString()), 201);
      expect(status).toMatchObject({ userInfo: { username: `system:serviceaccount:${namespace}:robot` } });
    },
  },
  {
    rule: 'a Secret with the token of an account is deleted with the account',
    needs: ['accountControllers'],
    run: async (context) => {
      const { secrets, serviceAccounts } = context;
      await createRobot(context);
      const annotations = { 'kubernetes.io/service-account.name': 'robot' };
      const type = 'kubernetes.io/service-account-token';
      objectIn(await secrets.post(secrets.draft('key', { metadata: { annotations }, type })), 201);
      await untilAnswer(
        () => secrets.get('key'),
        (answer) => JSON.stringify(answer.body).includes('"token"'),
      );
      expect(await serviceAccounts.delete('robot')).toMatchObject({ status: 200 });
      await untilAnswer(
        () => secrets.get('key'),
        ({ status }) => status === 404,
      );
    },
  },
  {
    rule: 'each namespace gets an account called default and the certificate of the authority',
    needs: ['accountControllers'],
    run: async ({ serviceAccounts, configMaps }) => {
      await untilAnswer(
        () => serviceAccounts.get('default'),
        ({ status }) => status === 200,
      );
      const found = await untilAnswer(
        () => configMaps.get('kube-root-ca.crt'),
        ({ status }) => status === 200,
      );
      expect(objectIn(found)['data']).toEqual({ 'ca.crt': expect.any(String) });
    },
  },
  {
    rule: 'the account called default and the certificate of the authority come back when they are deleted',
    needs: ['accountControllers'],
    run: async ({ serviceAccounts, configMaps }) => {
      for (const [objects, name] of [
        [serviceAccounts, 'default'],
        [configMaps, 'kube-root-ca.crt'],
      ] as const) {
        const isThere = (answer: Response): boolean => answer.status === 200;
        const before = objectIn(await untilAnswer(() => objects.get(name), isThere));
        expect(await objects.delete(name)).toMatchObject({ status: 200 });
        const after = objectIn(await untilAnswer(() => objects.get(name), isThere));
        expect(after.metadata.uid).not.toBe(before.metadata.uid);
      }
    },
  },
  {
    rule: 'a Secret with the token of another account of the same name is removed',
    needs: ['accountControllers'],
    run: async (context) => {
      const { secrets } = context;
      await createRobot(context);
      const annotations = {
        'kubernetes.io/service-account.name': 'robot',
        'kubernetes.io/service-account.uid': '00000000-0000-0000-0000-000000000000',
      };
      const type = 'kubernetes.io/service-account-token';
      objectIn(await secrets.post(secrets.draft('key', { metadata: { annotations }, type })), 201);
      await untilAnswer(
        () => secrets.get('key'),
        ({ status }) => status === 404,
      );
    },
  },
];
