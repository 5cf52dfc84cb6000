import { describe, expect, it } from 'vitest';
import type { Json } from '../json.ts';
import { sortsSchema } from '../../../../lab/contracts/kubernetes-api/apply/sorts.ts';
import { merge } from './merge.ts';
import { mergeTypeOf } from './merge-type.ts';
import { remove } from './remove.ts';

const type = mergeTypeOf(sortsSchema);

describe('a configuration merged into a live object', () => {
  it.for<[string, Json, Json, Json]>([
    [
      'joins maps',
      { labels: { a: '1', b: '1' } },
      { labels: { b: '2', c: '2' } },
      { labels: { a: '1', b: '2', c: '2' } },
    ],
    ['replaces atomic maps', { sealed: { a: '1' } }, { sealed: { b: '2' } }, { sealed: { b: '2' } }],
    ['replaces atomic lists', { steps: ['a', 'b'] }, { steps: ['c'] }, { steps: ['c'] }],
    ['joins sets', { tags: ['a', 'b'] }, { tags: ['b', 'c'] }, { tags: ['a', 'b', 'c'] }],
    [
      'gives shared values the order of the configuration',
      { tags: ['a', 'b', 'c'] },
      { tags: ['c', 'a'] },
      { tags: ['b', 'c', 'a'] },
    ],
    [
      'puts values that are only live before what comes after them',
      { tags: ['x', 'a', 'y', 'b'] },
      { tags: ['b', 'z', 'a'] },
      { tags: ['x', 'y', 'b', 'z', 'a'] },
    ],
    [
      'keeps values that are live twice, and joins them when they are applied',
      { tags: ['a', 'a', 'b', 'b'] },
      { tags: ['b'] },
      { tags: ['a', 'a', 'b'] },
    ],
    [
      'joins items by their keys',
      { parts: [{ name: 'p', count: 2 }] },
      { parts: [{ name: 'q' }, { name: 'p', note: 'n' }] },
      { parts: [{ name: 'q' }, { name: 'p', count: 2, note: 'n' }] },
    ],
    [
      'leaves a map as it is under a null',
      { limits: { hard: 1 } },
      { limits: null },
      { limits: { hard: 1 } },
    ],
    ['puts a null in place of a leaf', { note: 'a' }, { note: null }, { note: null }],
    [
      'replaces a leaf by a map where the schema allows both',
      { open: { a: 1 } },
      { open: { a: { b: 1 } } },
      { open: { a: { b: 1 } } },
    ],
    [
      'keeps keys such as __proto__ as plain keys',
      { open: { a: 1 } },
      JSON.parse('{"open":{"__proto__":1}}'),
      JSON.parse('{"open":{"a":1,"__proto__":1}}'),
    ],
  ])('%s', ([, live, applied, expected]) => {
    expect(merge(type, { spec: live }, { spec: applied })).toEqual({ spec: expected });
  });
});

describe('fields removed from an object', () => {
  it.for<[string, Json, Json, Json]>([
    ['go with all that is in them', { limits: { hard: 1 }, size: 1 }, { 'f:limits': {} }, { size: 1 }],
    [
      'go from inside',
      { limits: { hard: 1, soft: 1 } },
      { 'f:limits': { 'f:hard': {} } },
      { limits: { soft: 1 } },
    ],
    [
      'leave null where they were all there was',
      { limits: { hard: 1 } },
      { 'f:limits': { 'f:hard': {} } },
      { limits: null },
    ],
    [
      'are items of a list',
      { parts: [{ name: 'a' }, { name: 'b', count: 1 }] },
      { 'f:parts': { 'k:{"name":"a"}': {}, 'k:{"name":"b"}': { 'f:count': {} } } },
      { parts: [{ name: 'b' }] },
    ],
    ['are values of a set', { tags: ['a', 'b'] }, { 'f:tags': { 'v:"a"': {} } }, { tags: ['b'] }],
    [
      'cannot be part of what is atomic',
      { sealed: { a: '1', b: '1' }, steps: ['a'] },
      { 'f:sealed': { 'f:a': {} }, 'f:steps': { 'i:0': {} } },
      { sealed: null, steps: null },
    ],
    ['may be missing', { size: 1 }, { 'f:tags': { 'v:"a"': {} } }, { size: 1 }],
  ])('%s', ([, spec, fields, expected]) => {
    const set = JSON.parse(JSON.stringify({ 'f:spec': fields }));
    expect(remove(type, { spec }, set)).toEqual({ spec: expected });
  });
});
