/** The laws of apply, for three writers and every sort of map and list. */
import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { deepFreeze, type JsonObject } from '../json.ts';
import { applyConfiguration, type Applied } from './apply-configuration.ts';
import { sortsSchema, specs } from '../../../../lab/contracts/kubernetes-api/apply/sorts.ts';
import { difference, intersection, isEmptySet, union, type FieldSet } from './field-set.ts';
import { fieldsOf, withNamedParents } from './fields-of.ts';
import { ownerKey, type Owners, type Writer } from './managers.ts';
import { mergeTypeOf } from './merge-type.ts';
import { recordUpdate } from './record-update.ts';

const type = mergeTypeOf(sortsSchema);
const typeIn = (): typeof type => type;
const configurations: fc.Arbitrary<JsonObject> = specs.map((spec) => deepFreeze({ spec }));
/** Excludes empty maps: applying an empty map in place of keys stores null, on the real server too. */
const filled = configurations.filter((configuration) => !/\{\}|\[\]/.test(JSON.stringify(configuration)));

function writer(
  manager: string,
  operation: Writer['operation'] = 'Apply',
): Writer & { readonly time: string } {
  return { manager, operation, apiVersion: 'v1', subresource: '', time: 'now' };
}

interface State {
  readonly object: JsonObject;
  readonly owners: Owners;
}

const nothing: State = { object: {}, owners: new Map() };

function apply({ object, owners }: State, manager: string, configuration: JsonObject): Applied {
  const by = writer(manager);
  return applyConfiguration({ live: object, configuration, wantsMore: false, owners, by, type, typeIn });
}

function update({ object, owners }: State, manager: string, next: JsonObject): State {
  const change = { old: object, next, apiVersion: 'v1', typeIn };
  return { object: next, owners: recordUpdate(owners, change, writer(manager, 'Update')) };
}

function owned({ owners }: State, manager: string, operation?: Writer['operation']): FieldSet {
  return owners.get(ownerKey(writer(manager, operation)))?.fields ?? {};
}

function allOwned({ owners }: State): FieldSet {
  return [...owners.values()].map((owner) => owner.fields).reduce(union, {});
}

/** Any object after applies of two writers and an update of a third. */
const states: fc.Arbitrary<State> = fc
  .tuple(configurations, configurations, configurations)
  .map(([one, other, last]) => {
    const both = apply(update(nothing, 'editor', last), 'one', one);
    return apply(both, 'other', other);
  });

describe('an apply', () => {
  it('changes nothing when repeated', () => {
    fc.assert(
      fc.property(states, filled, (state, configuration) => {
        const first = apply(state, 'one', configuration);
        expect(apply(first, 'one', configuration)).toEqual({ ...first, conflicts: [] });
      }),
    );
  });

  it('owns exactly the applied fields', () => {
    fc.assert(
      fc.property(states, configurations, (state, configuration) => {
        expect(owned(apply(state, 'one', configuration), 'one')).toEqual(fieldsOf(type, configuration));
      }),
    );
  });

  it('conflicts exactly with the owners of the fields that it changes', () => {
    fc.assert(
      fc.property(states, configurations, (state, configuration) => {
        const after = apply(state, 'one', configuration);
        for (const { owner, fields } of after.conflicts)
          expect(intersection(owned(after, owner.manager, owner.operation), fields)).toEqual({});
        const lost = difference(owned(state, 'other'), owned(after, 'other'));
        const taken = after.conflicts.find(({ owner }) => owner.manager === 'other')?.fields ?? {};
        expect(isEmptySet(intersection(lost, fieldsOf(type, after.object)))).toBe(
          isEmptySet(intersection(taken, fieldsOf(type, after.object))),
        );
      }),
    );
  });

  it('leaves no owner of a removed field', () => {
    fc.assert(
      fc.property(states, configurations, (state, configuration) => {
        const after = apply(state, 'one', configuration);
        const others = {
          ...after,
          owners: new Map([...after.owners].filter(([, owner]) => owner.manager !== 'one')),
        };
        const there = withNamedParents(type, fieldsOf(type, after.object));
        const gone = difference(withNamedParents(type, fieldsOf(type, state.object)), there);
        expect(intersection(allOwned(others), gone)).toEqual({});
      }),
    );
  });
});

describe('an empty apply', () => {
  it('removes the fields that only its manager had set', () => {
    fc.assert(
      fc.property(configurations, (configuration) => {
        const after = apply(apply(nothing, 'one', configuration), 'one', {});
        const left = fieldsOf(type, after.object);
        expect(intersection(left, fieldsOf(type, configuration))).toEqual({});
      }),
    );
  });

  it('keeps fields that another manager applied', () => {
    fc.assert(
      fc.property(configurations, configurations, (mine, yours) => {
        const both = apply(apply(nothing, 'one', mine), 'other', yours);
        const after = apply(both, 'one', {});
        expect(difference(fieldsOf(type, yours), fieldsOf(type, after.object))).toEqual({});
        expect(owned(after, 'one')).toEqual({});
      }),
    );
  });
});

describe('an ordinary write', () => {
  it('owns the changed fields, and removes all other owners of them', () => {
    fc.assert(
      fc.property(states, filled, (state, next) => {
        const after = update(state, 'late', next);
        const mine = owned(after, 'late', 'Update');
        const others = new Map([...after.owners].filter(([, owner]) => owner.manager !== 'late'));
        expect(intersection(mine, allOwned({ ...after, owners: others }))).toEqual({});
        expect(difference(fieldsOf(type, next), allOwned(after))).toEqual({});
      }),
    );
  });

  it('adds to the fields that the same writer owned before', () => {
    const first = update(nothing, 'editor', { spec: { size: 1, mode: 'a' } });
    const second = update(first, 'editor', { spec: { size: 2, mode: 'a' } });
    expect(owned(second, 'editor', 'Update')).toEqual(owned(first, 'editor', 'Update'));
  });

  it('that changes nothing owns nothing', () => {
    fc.assert(
      fc.property(states, (state) => {
        expect(update(state, 'late', state.object).owners).toEqual(state.owners);
      }),
    );
  });
});
