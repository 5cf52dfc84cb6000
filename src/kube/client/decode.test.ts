import { describe, expect, it } from 'vitest';
import { configMaps, nodes } from './builtin-resources.ts';
import { eventOf, isDeletion, objectOf, pageOf } from './decode.ts';

const metadata = { name: 'a', namespace: 'n', uid: 'uid-a', resourceVersion: '7' };
const managedFields = [{ manager: 'someone' }];
const type = { apiVersion: 'v1', kind: 'ConfigMap' };
const object = { ...type, metadata: { ...metadata, managedFields }, data: { text: 'x' } };
const item = { metadata: object.metadata, data: object.data };
const list = { apiVersion: 'v1', kind: 'ConfigMapList', metadata: { resourceVersion: '7' }, items: [item] };
const about = { name: 'a', namespace: 'n' };

const changed = (fields: object): object => ({ ...object, metadata: { ...metadata, ...fields } });

it('pages and events lose managedFields, and nothing else', () => {
  const kept = { ...type, metadata, data: { text: 'x' } };
  expect(pageOf(configMaps, list, {}).items).toEqual([kept]);
  expect(eventOf(configMaps, { type: 'ADDED', object }, {})).toEqual({ type: 'ADDED', object: kept });
});

it('a single object stays as the server sent it', () => {
  expect(objectOf(configMaps, object, about)).toEqual(object);
});

it('a cluster-scoped object needs no namespace', () => {
  const node = { apiVersion: 'v1', kind: 'Node', metadata: { name: 'a', uid: 'u', resourceVersion: '1' } };
  expect(objectOf(nodes, node, { name: 'a' })).toEqual(node);
});

type Named = readonly (readonly [string, unknown])[];

const strangers: Named = [
  ['nothing', null],
  ['a text', 'ConfigMap'],
  ['an object of another kind', { ...object, kind: 'Secret' }],
  ['an object of another group', { ...object, apiVersion: 'example.com/v1' }],
  ['an object without a kind', item],
  ['an object of another name', changed({ name: 'b' })],
  ['an object in another namespace', changed({ namespace: 'other' })],
  ['an object in no namespace', changed({ namespace: undefined })],
  ['an object without a uid', changed({ uid: undefined })],
  ['an object without metadata', type],
];
const unstored: Named = [['an object without a revision', changed({ resourceVersion: '' })]];

describe.for([...strangers, ...unstored])('%s', ([, stranger]) => {
  it('is not the requested object', () => {
    expect(() => objectOf(configMaps, stranger, about)).toThrow('is not the requested ConfigMap');
  });

  it('is not an event of a watch on it', () => {
    for (const change of ['ADDED', 'MODIFIED', 'DELETED'])
      expect(() => eventOf(configMaps, { type: change, object: stranger }, about)).toThrow('is not an event');
  });
});

it.for<readonly [string, unknown]>([
  ['a Status', { kind: 'Status', status: 'Success' }],
  ['the object', object],
  ['the object while it is being deleted', changed({ deletionTimestamp: '2026-01-01T00:00:00Z' })],
  ...unstored,
])('%s confirms a deletion', ([, body]) => {
  expect(isDeletion(configMaps, body, about)).toBe(true);
});

it.for<readonly [string, unknown]>([
  ['a Status of failure', { kind: 'Status', status: 'Failure' }],
  ['an empty object', {}],
  ...strangers,
])('%s does not confirm a deletion', ([, body]) => {
  expect(isDeletion(configMaps, body, about)).toBe(false);
});

it('a created object may have a generated name', () => {
  expect(objectOf(configMaps, object, { namePrefix: 'a', namespace: 'n' })).toEqual(object);
  expect(() => objectOf(configMaps, object, { namePrefix: 'b' })).toThrow('is not the requested ConfigMap');
});

it.for([
  ['another kind', { ...list, kind: 'PodList' }],
  ['another group', { ...list, apiVersion: 'example.com/v1' }],
  ['no kind', { ...list, kind: undefined }],
  ['an empty revision', { ...list, metadata: { resourceVersion: '' } }],
  ['no revision', { ...list, metadata: {} }],
  ['no items', { ...list, items: undefined }],
] as const)('a list with %s is rejected', ([, body]) => {
  expect(() => pageOf(configMaps, body, {})).toThrow('is not a list of configmaps');
});

it.for([
  ['nothing', null],
  ['an item of another kind', { ...item, kind: 'Secret' }],
  ['an item without a name', { metadata: { ...metadata, name: undefined } }],
  ['an item without a uid', { metadata: { ...metadata, uid: '' } }],
  ['an item without a revision', { metadata: { ...metadata, resourceVersion: 7 } }],
  ['an item of another namespace', { metadata: { ...metadata, namespace: 'other' } }],
] as const)('a list that contains %s is rejected', ([, stranger]) => {
  const body = { ...list, items: [item, stranger] };
  expect(() => pageOf(configMaps, body, { namespace: 'n' })).toThrow('contains an item');
});

it('namespaced objects have a namespace, and cluster-scoped objects have none', () => {
  const placeless = { ...list, items: [{ metadata: { ...metadata, namespace: undefined } }] };
  expect(() => pageOf(configMaps, placeless, {})).toThrow('contains an item');
  const placed = { ...list, kind: 'NodeList', items: [{ metadata }] };
  expect(() => pageOf(nodes, placed, {})).toThrow('contains an item');
});

it('an empty list may have null items', () => {
  expect(pageOf(configMaps, { ...list, items: null }, {}).items).toEqual([]);
});

it('a bookmark needs a revision and the kind, and no name', () => {
  const bookmark = { ...type, metadata: { resourceVersion: '9' } };
  expect(eventOf(configMaps, { type: 'BOOKMARK', object: bookmark }, about)).toMatchObject({
    type: 'BOOKMARK',
  });
  for (const bad of [
    { ...bookmark, kind: 'Secret' },
    { ...bookmark, metadata: {} },
  ])
    expect(() => eventOf(configMaps, { type: 'BOOKMARK', object: bad }, about)).toThrow('is not an event');
});
