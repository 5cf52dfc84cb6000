/** The fields that a value claims, by shape, and the changes between two values. */
import { describe, expect, it } from 'vitest';
import type { Json } from '../json.ts';
import { compare } from './compare.ts';
import { sortsSchema } from '../../../../lab/contracts/kubernetes-api/apply/sorts.ts';
import { everyPath, fieldsOf, withNamedParents } from './fields-of.ts';
import { UntrackableItem } from './list-element.ts';
import { mergeTypeOf } from './merge-type.ts';

const type = mergeTypeOf(sortsSchema);
const inSpec = (spec: Json): Json => ({ spec });

describe('an applied value claims', () => {
  it.for<[string, Json, Json]>([
    ['its leaves and not what holds them', { limits: { hard: 1 } }, { 'f:limits': { 'f:hard': {} } }],
    ['an empty object by itself', { limits: {} }, { 'f:limits': {} }],
    ['a null by itself', { note: null }, { 'f:note': {} }],
    ['nothing by an empty list of items', { parts: [], size: 1 }, { 'f:size': {} }],
    ['the keys of a map', { groups: { x: { a: '1' } } }, { 'f:groups': { 'f:x': { '.': {}, 'f:a': {} } } }],
    ['an atomic map as one', { sealed: { a: '1' } }, { 'f:sealed': {} }],
    ['an atomic list as one', { steps: ['a'], grid: [[1]] }, { 'f:steps': {}, 'f:grid': {} }],
    ['the values of a set', { tags: ['a', 'b&'] }, { 'f:tags': { 'v:"a"': {}, 'v:"b\\u0026"': {} } }],
    [
      'the items of a list by their keys',
      { parts: [{ name: 'x', count: 1 }] },
      { 'f:parts': { 'k:{"name":"x"}': { '.': {}, 'f:name': {}, 'f:count': {} } } },
    ],
    [
      'an item by the defaults of keys it leaves out',
      { ports: [{ port: 80 }] },
      { 'f:ports': { 'k:{"port":80,"protocol":"TCP"}': { '.': {}, 'f:port': {} } } },
    ],
    [
      'maps in what the schema leaves open, and lists in it as one',
      { open: { a: { b: 1 }, c: [{ d: 1 }] } },
      { 'f:open': { 'f:a': { '.': {}, 'f:b': {} }, 'f:c': {} } },
    ],
    [
      'the metadata of an embedded resource like any other',
      { template: { apiVersion: 'v1', kind: 'X', metadata: { finalizers: ['f'], labels: { l: '1' } } } },
      {
        'f:template': {
          'f:apiVersion': {},
          'f:kind': {},
          'f:metadata': { 'f:finalizers': { 'v:"f"': {} }, 'f:labels': { 'f:l': {} } },
        },
      },
    ],
  ])('%s', ([, spec, expected]) => {
    expect(fieldsOf(type, inSpec(spec))).toEqual({ 'f:spec': expected });
  });

  it('owner references by their uid, each as a whole', () => {
    const ownerReferences = [{ apiVersion: 'v1', kind: 'Pod', name: 'p', uid: 'u' }];
    expect(fieldsOf(type, { metadata: { ownerReferences } })).toEqual({
      'f:metadata': { 'f:ownerReferences': { 'k:{"uid":"u"}': {} } },
    });
  });

  it.for<[Json]>([
    [{ tags: [{}] }],
    [{ tags: [null] }],
    [{ tags: [[]] }],
    [{ parts: [{}] }],
    [{ parts: [1] }],
  ])('nothing where the items of %j have no keys', ([spec]) => {
    expect(() => fieldsOf(type, inSpec(spec))).toThrow(UntrackableItem);
  });
});

it('every path of a value includes the parents of the leaves', () => {
  expect(everyPath(type, inSpec({ parts: [{ name: 'x' }], limits: {} }))).toEqual({
    '.': {},
    'f:spec': {
      '.': {},
      'f:parts': { '.': {}, 'k:{"name":"x"}': { '.': {}, 'f:name': {} } },
      'f:limits': {},
    },
  });
});

it('named parents become members, keys of maps do not', () => {
  const set = { 'f:spec': { 'f:groups': { 'f:x': { 'f:a': {} } } } };
  expect(withNamedParents(type, set)).toEqual({
    'f:spec': { '.': {}, 'f:groups': { '.': {}, 'f:x': { 'f:a': {} } } },
  });
});

describe('between two values', () => {
  it.for<[string, Json, Json, Json]>([
    ['nothing differs in equal ones', { size: 1 }, { size: 1 }, {}],
    ['a leaf is modified', { size: 1 }, { size: 2 }, { modified: { 'f:size': {} } }],
    ['the order of items is no change', { tags: ['a', 'b'] }, { tags: ['b', 'a'] }, {}],
    [
      'the order of an atomic list is one',
      { steps: ['a', 'b'] },
      { steps: ['b', 'a'] },
      { modified: { 'f:steps': {} } },
    ],
    [
      'an item comes and another goes',
      { tags: ['a', 'b'] },
      { tags: ['b', 'c'] },
      { added: { 'f:tags': { 'v:"c"': {} } }, removed: { 'f:tags': { 'v:"a"': {} } } },
    ],
    [
      'an item that comes a second time is owned as a whole',
      { parts: [{ name: 'a', count: 1 }] },
      {
        parts: [
          { name: 'a', count: 1 },
          { name: 'a', count: 2 },
        ],
      },
      {
        added: { 'f:parts': { 'k:{"name":"a"}': {} } },
        removed: { 'f:parts': { 'k:{"name":"a"}': { '.': {}, 'f:name': {}, 'f:count': {} } } },
      },
    ],
    [
      'a map in place of a leaf adds what is in it',
      { open: { a: 1 } },
      { open: { a: { b: 1 } } },
      { modified: { 'f:open': { 'f:a': {} } }, added: { 'f:open': { 'f:a': { 'f:b': {} } } } },
    ],
    [
      'an emptied map loses its keys',
      { labels: { a: '1' } },
      { labels: {} },
      { removed: { 'f:labels': { 'f:a': {} } } },
    ],
  ])('%s', ([, old, next, expected]) => {
    const found = compare(type, inSpec(old), inSpec(next));
    const filled = Object.fromEntries(Object.entries(found).filter(([, set]) => Object.keys(set).length > 0));
    const wanted = Object.entries(expected ?? {}).map(([kind, set]) => [kind, { 'f:spec': set }]);
    expect(filled).toEqual(Object.fromEntries(wanted));
  });
});
