import { expect, it } from 'vitest';
import { placeOf } from './object-path.ts';

it.for([
  ['/api/v1/pods', '/v1 - pods - -'],
  ['/api/v1/namespaces/x/pods/a/log', '/v1 x pods a log'],
  ['/api/v1/namespaces/x', '/v1 - namespaces x -'],
  ['/api/v1/namespaces/x/status', '/v1 - namespaces x status'],
  ['/apis/apps/v1/namespaces/x/status', 'apps/v1 x status - -'],
  ['/apis/a.b/v2/namespaces/x/things/%66oo', 'a.b/v2 x things foo -'],
] as const)('%s is %s', ([path, expected]) => {
  const place = placeOf(path);
  const { group, version, namespace = '-', plural, name = '-', subresource = '-' } = place ?? {};
  expect(`${group}/${version} ${namespace} ${plural} ${name} ${subresource}`).toBe(expected);
});

it.for([
  '/version',
  '/api',
  '/api/v1',
  '/apis/apps/v1',
  '/api/v1//pods',
  '/api/v1/namespaces//pods',
  '/api/v1/pods/',
  '/api/v1/namespaces/x/pods/a/log/more',
  '/api/v1/namespaces/%zz/pods',
])('%s is no resource path', (path) => {
  expect(placeOf(path)).toBeUndefined();
});
