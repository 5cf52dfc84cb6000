import { describe, expect, it } from 'vitest';
import type { Json } from '../json.ts';
import { capUpdaters } from './cap-updaters.ts';
import { isReset, managedFieldsOf, ownerKey, ownersIn, type Owner } from './managers.ts';

const entry = {
  manager: 'one',
  operation: 'Apply',
  apiVersion: 'v1',
  time: '2026-01-01T00:00:00Z',
  fieldsType: 'FieldsV1',
  fieldsV1: { 'f:a': {} },
};

function owner(manager: string, more: Partial<Owner> = {}): Owner {
  return { manager, operation: 'Update', apiVersion: 'v1', subresource: '', time: '1', fields: {}, ...more };
}

function listed(...owners: readonly Owner[]): ReadonlyMap<string, Owner> {
  return new Map(owners.map((one) => [ownerKey(one), one]));
}

describe('the list of managers', () => {
  it('is written as it was read', () => {
    const list = [entry, { ...entry, operation: 'Update', subresource: 'status' }];
    expect(managedFieldsOf(ownersIn(list) ?? new Map())).toEqual(list);
  });

  it('names appliers first, then by time, then by name', () => {
    const owners = listed(
      owner('b', { time: '2' }),
      owner('a', { time: '2' }),
      owner('c'),
      owner('z', { operation: 'Apply', time: '3' }),
      owner('y', { operation: 'Apply', time: undefined }),
    );
    expect(managedFieldsOf(owners)).toMatchObject(['y', 'z', 'c', 'a', 'b'].map((manager) => ({ manager })));
  });

  it('is absent without owners', () => {
    expect(managedFieldsOf(new Map())).toBeUndefined();
  });

  it.for<[string, Json]>([
    ['an operation', { operation: 'Other' }],
    ['a version', { apiVersion: '' }],
    ['a known form', { fieldsType: 'FieldsV2' }],
    ['fields', { fieldsV1: { 'x:a': {} } }],
  ])('is ignored when an entry lacks %s', ([, wrong]) => {
    expect(ownersIn([entry, { ...entry, ...Object(wrong) }])).toBeUndefined();
  });

  it.for<[Json, boolean]>([
    [[{}], true],
    [[], false],
    [[entry], false],
    [[{}, {}], false],
  ])('%j is a reset: %s', ([list, expected]) => {
    expect(isReset(list)).toBe(expected);
  });
});

describe('one entry is kept', () => {
  it.for<[string, Partial<Owner>, boolean]>([
    ['for an applier in all versions', { operation: 'Apply', apiVersion: 'v2' }, true],
    ['for an updater in one version only', { apiVersion: 'v2' }, false],
    ['for each subresource', { subresource: 'status' }, false],
    ['for each operation', { operation: 'Apply' }, false],
  ])('%s', ([, more, same]) => {
    const first = owner(
      'one',
      more.apiVersion === 'v2' && more.operation === 'Apply' ? { operation: 'Apply' } : {},
    );
    expect(ownerKey(owner('one', more)) === ownerKey(first)).toBe(same);
  });
});

describe('many who updated', () => {
  const updaters = Array.from({ length: 12 }, (_, index) =>
    owner(`m${index}`, { time: String(10 + index), fields: { [`f:${index}`]: {} } }),
  );

  it('are kept while there are ten', () => {
    const ten = listed(...updaters.slice(0, 10));
    expect(capUpdaters(ten)).toBe(ten);
  });

  it('are merged from the oldest on, with all their fields', () => {
    const applier = owner('applier', { operation: 'Apply', time: '1' });
    const capped = [...capUpdaters(listed(applier, ...updaters)).values()];
    expect(capped).toHaveLength(11);
    expect(capped.find(({ manager }) => manager === 'ancient-changes')).toEqual(
      owner('ancient-changes', { time: '12', fields: { 'f:0': {}, 'f:1': {}, 'f:2': {} } }),
    );
    expect(capped).toContainEqual(applier);
  });
});
