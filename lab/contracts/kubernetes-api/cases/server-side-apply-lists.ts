/** Server-side apply on lists: maps, sets and atomic ones. */
import { expect } from 'vitest';
import { apply, as, fieldsOf } from '../applying.ts';
import type { Case } from '../case.ts';
import { expectFailure } from '../failure.ts';
import { objectIn } from '../kube-object.ts';

export const serverSideApplyListsCases: readonly Case[] = [
  {
    rule: 'two managers own different items of a list of type map, and different fields of one item',
    run: async (context) => {
      const one = { spec: { size: 1, parts: [{ name: 'p', count: 2 }] } };
      objectIn(await apply(context, one, as('one')), 201);
      const two = {
        spec: {
          parts: [
            { name: 'q', count: 3 },
            { name: 'p', note: 'n' },
          ],
        },
      };
      const both = objectIn(await apply(context, two, as('two')));
      expect(both.spec).toHaveProperty('parts', [
        { name: 'q', count: 3 },
        { name: 'p', count: 2, note: 'n' },
      ]);
      const without = objectIn(await apply(context, { spec: { size: 1 } }, as('one')));
      expect(without.spec).toHaveProperty('parts', [
        { name: 'q', count: 3 },
        { name: 'p', count: 1, note: 'n' },
      ]);
    },
  },
  {
    rule: 'an item of a list of type map without a remaining owner is removed',
    run: async (context) => {
      const parts = [{ name: 'p' }, { name: 'q' }];
      objectIn(await apply(context, { spec: { size: 1, parts } }, as('one')), 201);
      const after = objectIn(await apply(context, { spec: { size: 1, parts: [{ name: 'q' }] } }, as('one')));
      expect(after.spec).toHaveProperty('parts', [{ name: 'q', count: 1 }]);
    },
  },
  {
    rule: 'the values of a set are merged, and each manager owns its values',
    run: async (context) => {
      objectIn(await apply(context, { spec: { size: 1, tags: ['a', 'b'] } }, as('one')), 201);
      const both = objectIn(await apply(context, { spec: { tags: ['b', 'c'] } }, as('two')));
      expect(both.spec).toHaveProperty('tags', ['a', 'b', 'c']);
      const after = objectIn(await apply(context, { spec: { size: 1 } }, as('one')));
      expect(after.spec).toHaveProperty('tags', ['b', 'c']);
      expect(fieldsOf(after, 'two')).toEqual({ 'f:spec': { 'f:tags': { 'v:"b"': {}, 'v:"c"': {} } } });
    },
  },
  {
    rule: 'an atomic list has one owner for the whole',
    run: async (context) => {
      objectIn(await apply(context, { spec: { size: 1, steps: ['a'] } }, as('one')), 201);
      const refused = await apply(context, { spec: { steps: ['a', 'b'] } }, as('two'));
      expectFailure(refused, { code: 409, reason: 'Conflict', fields: ['.spec.steps'] });
      const forced = objectIn(await apply(context, { spec: { steps: ['b'] } }, as('two', { force: 'true' })));
      expect(forced.spec).toHaveProperty('steps', ['b']);
    },
  },
];
