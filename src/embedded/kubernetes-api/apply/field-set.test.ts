import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  difference,
  fieldSetIn,
  hasPath,
  intersection,
  isEmptySet,
  membersOf,
  pathSet,
  union,
  type FieldSet,
} from './field-set.ts';

const element = fc.constantFrom('f:a', 'f:b', 'k:{"name":"x"}', 'v:"y"');
const sets: fc.Arbitrary<FieldSet> = fc
  .array(fc.array(element, { minLength: 1, maxLength: 3 }), { maxLength: 6 })
  .map((paths) => paths.map(pathSet).reduce(union, {}));

function members(set: FieldSet): readonly string[] {
  return membersOf(set)
    .map((path) => path.join(' '))
    .toSorted();
}

describe('the members of two field sets', () => {
  it.for<[string, (a: FieldSet, b: FieldSet) => FieldSet, (inA: boolean, inB: boolean) => boolean]>([
    ['union', union, (inA, inB) => inA || inB],
    ['difference', difference, (inA, inB) => inA && !inB],
    ['intersection', intersection, (inA, inB) => inA && inB],
  ])('%s', ([, operation, keeps]) => {
    fc.assert(
      fc.property(sets, sets, (a, b) => {
        const [inA, inB] = [new Set(members(a)), new Set(members(b))];
        const expected = [...new Set([...inA, ...inB])].filter((path) => keeps(inA.has(path), inB.has(path)));
        expect(members(operation(a, b))).toEqual(expected.toSorted());
      }),
    );
  });

  it('leave nothing when they are removed', () => {
    fc.assert(
      fc.property(sets, (set) => {
        expect(difference(set, set)).toEqual({});
      }),
    );
  });

  it('are exactly the members found by path', () => {
    fc.assert(
      fc.property(sets, fc.array(element, { minLength: 1, maxLength: 3 }), (set, path) => {
        expect(hasPath(set, path)).toBe(members(set).includes(path.join(' ')));
      }),
    );
  });
});

describe('a field set on the wire', () => {
  it('keeps the fields below a removed field', () => {
    expect(difference({ 'f:a': { '.': {}, 'f:b': {} } }, { 'f:a': {} })).toEqual({ 'f:a': { 'f:b': {} } });
  });

  it('lists its members level by level, fields before items and values', () => {
    const set = { 'v:"x"': {}, 'f:b': { 'f:c': {} }, 'k:{"name":"x"}': { '.': {}, 'f:a': {} }, 'f:a': {} };
    expect(membersOf(set)).toEqual([
      ['f:a'],
      ['k:{"name":"x"}'],
      ['v:"x"'],
      ['f:b', 'f:c'],
      ['k:{"name":"x"}', 'f:a'],
    ]);
  });

  it.for<[string, string]>([
    ['v:"<a>"', 'v:"\\u003ca\\u003e"'],
    ['v: 1', 'v:1'],
    ['k:{"b": 2, "a": "x"}', 'k:{"a":"x","b":2}'],
    ['k:{"name":"x"}', 'k:{"name":"x"}'],
    ['f:any <thing>', 'f:any <thing>'],
    ['i:3', 'i:3'],
  ])('reads the element %s as %s', ([sent, canonical]) => {
    expect(fieldSetIn({ [sent]: {} })).toEqual({ [canonical]: {} });
  });

  it.for([[{ 'x:a': {} }], [{ 'f:a': 1 }], [{ 'v:"': {} }], [{ 'k:1': {} }], [['f:a']]])(
    'is not read from %j',
    ([sent]) => {
      expect(fieldSetIn(sent ?? null)).toBeUndefined();
    },
  );

  it('is empty only without members', () => {
    fc.assert(
      fc.property(sets, (set) => {
        expect(isEmptySet(set)).toBe(membersOf(set).length === 0);
      }),
    );
  });
});
