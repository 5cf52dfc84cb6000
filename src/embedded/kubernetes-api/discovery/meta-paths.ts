/** The paths about the server itself: discovery, version, health. */
import type { JsonObject } from '../json.ts';
import type { Resource } from '../registry/resource.ts';
import { aggregated, aggregatedType, groupDocument, groupList, resourceList } from './discovery.ts';
import { openApiV2 } from './openapi-v2.ts';
import { openApiDocument, openApiIndex } from './openapi.ts';

export interface MetaAnswer {
  readonly body: JsonObject;
  readonly contentType?: string;
  /** The same in another format than JSON. */
  readonly bytes?: Uint8Array;
}

/** The API version of this server; clients choose features by it. */
export const version = {
  major: '1',
  minor: '36',
  gitVersion: 'v1.36.4+muster',
  gitCommit: '',
  gitTreeState: 'clean',
  buildDate: '2026-01-01T00:00:00Z',
  goVersion: '',
  compiler: '',
  platform: 'muster',
} as const;

/**
 * The public keys of ServiceAccount tokens. Empty: the same secret signs and checks tokens (see `auth/jwt.ts`), so
 * clients use a TokenReview.
 */
const keysPath = '/openid/v1/jwks';
const keysType = 'application/jwk-set+json';

/** Undefined for any other path. */
export function metaAnswer(
  path: string,
  accept: string,
  resources: readonly Resource[],
): MetaAnswer | undefined {
  if (path === '/') return { body: { paths: pathsOf(resources) } };
  if (path === '/version') return { body: version };
  if (path.replace(/\/$/, '') === keysPath) return { body: { keys: [] }, contentType: keysType };
  if (path === '/openapi/v2') return openApiV2(accept);
  if (path === '/openapi/v3') return { body: openApiIndex(resources) };
  if (path.startsWith('/openapi/v3/'))
    return answer(openApiDocument(resources, path.slice('/openapi/v3/'.length)));
  return discovered(path.replace(/\/$/, ''), wantsAggregated(accept), resources);
}

/** Clients probe the root path for availability. */
function pathsOf(resources: readonly Resource[]): readonly string[] {
  const ofGroups = resources
    .filter(({ group }) => group !== '')
    .flatMap(({ group, version: name }) => [`/apis/${group}`, `/apis/${group}/${name}`]);
  const own = [
    '/api',
    '/api/v1',
    '/apis',
    '/healthz',
    '/livez',
    '/openapi/v2',
    '/openapi/v3',
    keysPath,
    '/readyz',
  ];
  return [...new Set([...own, '/version', ...ofGroups])].toSorted();
}

function discovered(path: string, all: boolean, resources: readonly Resource[]): MetaAnswer | undefined {
  if (path === '/api')
    return all
      ? aggregate(resources, 'core')
      : { body: { kind: 'APIVersions', versions: ['v1'], serverAddressByClientCIDRs: [] } };
  if (path === '/apis') return all ? aggregate(resources, 'groups') : { body: groupList(resources) };
  if (path === '/api/v1') return answer(resourceList(resources, '', 'v1'));
  const [, group = '', versionName] = /^\/apis\/([^/]+)(?:\/([^/]+))?$/.exec(path) ?? [];
  if (group === '') return undefined;
  return answer(
    versionName === undefined ? groupDocument(resources, group) : resourceList(resources, group, versionName),
  );
}

function aggregate(resources: readonly Resource[], which: 'core' | 'groups'): MetaAnswer {
  return { body: aggregated(resources, which), contentType: aggregatedType };
}

function answer(body: JsonObject | undefined): MetaAnswer | undefined {
  return body === undefined ? undefined : { body };
}

function wantsAggregated(accept: string): boolean {
  const [first = ''] = accept.split(',');
  return first.includes('as=APIGroupDiscoveryList') && first.includes('v=v2') && !first.includes('v=v2beta1');
}
