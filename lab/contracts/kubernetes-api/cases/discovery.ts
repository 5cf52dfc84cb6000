/** Discovery: groups, versions and resources, the OpenAPI index, the version. */
import { expect } from 'vitest';
import type { Case } from '../case.ts';
import { expectFailure } from '../failure.ts';
import { isAllowed, persona, review } from '../personas.ts';
import { contractGroup } from '../resources.ts';
import type { Response, Target } from '../target.ts';

const aggregated = 'application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList';

async function get(target: Target, path: string, accept?: string): Promise<Response> {
  return target.request({ method: 'GET', path, ...(accept !== undefined && { accept }) });
}

/** The element of a list that has these values, as a matcher for whole lists. */
function listWith(...parts: readonly object[]): unknown {
  return expect.arrayContaining(parts.map((part) => expect.objectContaining(part)));
}

export const discoveryCases: readonly Case[] = [
  {
    rule: 'aggregated discovery has its own content type, and lists every resource with its subresources',
    run: async ({ target }) => {
      const answer = await get(target, '/apis', `${aggregated},application/json`);
      expect(answer.headers['content-type']).toBe(aggregated);
      const widgets = {
        resource: 'widgets',
        responseKind: { group: contractGroup, version: 'v1', kind: 'Widget' },
        scope: 'Namespaced',
        singularResource: 'widget',
        subresources: listWith({ subresource: 'status' }, { subresource: 'scale' }),
      };
      const versions = listWith({ version: 'v1', freshness: 'Current', resources: listWith(widgets) });
      expect(answer.body).toMatchObject({
        kind: 'APIGroupDiscoveryList',
        items: listWith({ metadata: expect.objectContaining({ name: contractGroup }), versions }),
      });
    },
  },
  {
    rule: 'the core kinds have their own discovery path',
    run: async ({ target }) => {
      const answer = await get(target, '/api', aggregated);
      const pods = {
        resource: 'pods',
        responseKind: expect.objectContaining({ kind: 'Pod' }),
        shortNames: ['po'],
      };
      expect(answer.body).toMatchObject({
        items: [{ versions: listWith({ version: 'v1', resources: listWith(pods) }) }],
      });
    },
  },
  {
    rule: 'a group lists its stable version before its beta version, in any order of definition',
    run: async ({ target }) => {
      const { body } = await get(target, `/apis/${contractGroup}`);
      expect(body).toMatchObject({
        kind: 'APIGroup',
        name: contractGroup,
        versions: [{ version: 'v1' }, { version: 'v1beta1' }],
        preferredVersion: { groupVersion: `${contractGroup}/v1`, version: 'v1' },
      });
    },
  },
  {
    rule: 'the resources of one version are listed with their subresources and verbs',
    run: async ({ target }) => {
      const { body } = await get(target, `/apis/${contractGroup}/v1`);
      const verbs = expect.arrayContaining([
        'create',
        'delete',
        'deletecollection',
        'get',
        'list',
        'patch',
        'update',
        'watch',
      ]);
      expect(body).toMatchObject({
        kind: 'APIResourceList',
        groupVersion: `${contractGroup}/v1`,
        resources: listWith(
          { name: 'widgets', singularName: 'widget', namespaced: true, kind: 'Widget', verbs },
          { name: 'widgets/status', namespaced: true, kind: 'Widget' },
          { name: 'widgets/scale', kind: 'Scale', group: 'autoscaling', version: 'v1' },
          { name: 'zones', namespaced: false, kind: 'Zone' },
        ),
      });
    },
  },
  {
    rule: 'a group or version that is not served is 404',
    run: async ({ target }) => {
      for (const path of ['/apis/nobody.muster.dev', `/apis/${contractGroup}/v9`]) {
        expect(await get(target, path)).toMatchObject({ status: 404 });
      }
    },
  },
  {
    rule: 'the version can be parsed and compared by tools',
    run: async ({ target }) => {
      expect(await get(target, '/version')).toMatchObject({
        status: 200,
        body: { major: '1', gitVersion: expect.stringMatching(/^v1\.\d+\.\d+/) },
      });
    },
  },
  {
    rule: 'the OpenAPI of a group declares fieldValidation for patches',
    run: async ({ target }) => {
      const root = `apis/${contractGroup}/v1`;
      const index = await get(target, '/openapi/v3');
      const address = `/openapi/v3/${root}`;
      expect(index.body).toMatchObject({
        paths: { [root]: { serverRelativeURL: expect.stringContaining(`${address}?hash=`) } },
      });
      const { body } = await get(target, address);
      const patch = {
        parameters: listWith({ name: 'fieldValidation', in: 'query' }),
        'x-kubernetes-group-version-kind': { group: contractGroup, version: 'v1', kind: 'Widget' },
      };
      const path = `/apis/${contractGroup}/v1/namespaces/{namespace}/widgets/{name}`;
      expect(body).toMatchObject({ openapi: '3.0.0', paths: { [path]: { patch } } });
    },
  },
  {
    rule: 'the root lists the served paths, those of custom kinds included, for authorized callers',
    run: async (context) => {
      const paths = expect.arrayContaining([
        '/api',
        '/api/v1',
        '/apis',
        '/apis/apps',
        '/apis/apps/v1',
        `/apis/${contractGroup}`,
        `/apis/${contractGroup}/v1`,
        '/healthz',
        '/openapi/v2',
        '/openapi/v3',
        '/version',
      ]);
      expect(await get(context.target, '/')).toMatchObject({ status: 200, body: { paths } });
      const nobody = persona(context, `nobody-${context.suffix}`);
      expectFailure(await nobody.ask({ method: 'GET', path: '/' }), { code: 403, reason: 'Forbidden' });
    },
  },
  {
    rule: 'service accounts may read the public keys for token verification, and others may not',
    run: async (context) => {
      const keys = await get(context.target, '/openid/v1/jwks', 'application/jwk-set+json');
      expect(keys.status).toBe(200);
      expect(keys.headers['content-type']).toBe('application/jwk-set+json');
      const nonResourceAttributes = { path: '/openid/v1/jwks', verb: 'get' };
      const asked = { user: `robot-${context.suffix}`, nonResourceAttributes };
      const groups = ['system:serviceaccounts'];
      expect(isAllowed(await review(context.target, { ...asked, groups }))).toBe(true);
      expect(isAllowed(await review(context.target, asked))).toBe(false);
    },
  },
  {
    rule: 'OpenAPI v2 is served as JSON and as protobuf',
    run: async ({ target }) => {
      expect(await get(target, '/openapi/v2')).toMatchObject({ status: 200, body: { swagger: '2.0' } });
      const requirements = 'application/com.github.proto-openapi.spec.v2@v1.0+protobuf';
      expect(await get(target, '/openapi/v2', requirements)).toMatchObject({
        status: 200,
        headers: { 'content-type': 'application/com.github.proto-openapi.spec.v2.v1.0+protobuf' },
      });
    },
  },
];
