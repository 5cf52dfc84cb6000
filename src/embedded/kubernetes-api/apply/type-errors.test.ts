import { describe, expect, it } from 'vitest';
import type { Json } from '../json.ts';
import { sortsSchema } from '../../../../lab/contracts/kubernetes-api/apply/sorts.ts';
import { mergeTypeOf } from './merge-type.ts';
import { strayNulls } from './stray-nulls.ts';
import { typeErrors } from './type-errors.ts';

const type = mergeTypeOf(sortsSchema);

describe('an applied configuration', () => {
  it.for<[Json, string]>([
    [{ zzz: 1 }, '.spec.zzz: field not declared in schema'],
    [{ size: 'x' }, '.spec.size: expected numeric (int or float), got string'],
    [{ mode: 1 }, '.spec.mode: expected string, got number'],
    [{ limits: 'x' }, '.spec.limits: expected map, got &{"x"}'],
    [{ tags: {} }, '.spec.tags: expected list, got &{{}}'],
    [{ tags: ['a', 'a'] }, '.spec.tags: duplicate entries for key [="a"]'],
    [
      { ports: [{ port: 1 }, { port: 1, protocol: 'TCP' }] },
      '.spec.ports: duplicate entries for key [port=1,protocol="TCP"]',
    ],
    [
      { parts: [{ name: 'x', count: 'y' }] },
      '.spec.parts[name="x"].count: expected numeric (int or float), got string',
    ],
    [{ steps: [1] }, '.spec.steps[0]: expected string, got number'],
  ])('with %j is rejected: %s', ([spec, error]) => {
    expect(typeErrors(type, { spec })).toEqual([error]);
  });

  it('with an item without a key is rejected', () => {
    expect(typeErrors(type, { spec: { parts: [{ count: 1 }] } })).toEqual([
      expect.stringContaining('.spec.parts: element 0: associative list with keys has an element that omits'),
    ]);
  });

  it('may have nulls, unspecified fields, and known metadata', () => {
    const spec = {
      size: null,
      open: { a: [{ b: 1 }] },
      half: { other: {}, known: { more: 1 } },
      either: 1,
      template: { data: 1 },
    };
    expect(typeErrors(type, { metadata: { labels: { a: 'b' }, creationTimestamp: null }, spec })).toEqual([]);
    expect(typeErrors(type, { metadata: { foo: 1 } })).toEqual([
      '.metadata.foo: field not declared in schema',
    ]);
  });
});

it('a null is stray where the schema neither allows it nor has a default', () => {
  const spec = { size: null, note: null, mode: null, open: { a: null }, parts: [{ name: 'x', note: null }] };
  expect(strayNulls(sortsSchema, { spec })).toEqual(['spec.size', 'spec.parts[0].note']);
});
