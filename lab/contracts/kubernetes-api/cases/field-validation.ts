/** Handling of unknown fields: fieldValidation. */
import { expect } from 'vitest';
import type { Case } from '../case.ts';
import { expectFailure } from '../failure.ts';
import { objectIn } from '../kube-object.ts';

const unknown = { spec: { size: 1, unknown: true } };
const refused = { code: 400, reason: 'BadRequest' };

export const fieldValidationCases: readonly Case[] = [
  {
    rule: 'under fieldValidation Strict an unknown field is 400 on create and update and 422 on patch',
    run: async ({ widgets, configMaps }) => {
      const query = { fieldValidation: 'Strict' };
      expectFailure(await widgets.post(widgets.draft('a', unknown), query), refused);
      expectFailure(await configMaps.post(configMaps.draft('a', { dat: {} }), query), refused);
      const created = objectIn(await widgets.post(widgets.draft('a', { spec: { size: 1 } }), query), 201);
      expectFailure(await widgets.put('a', { ...created, ...unknown }, { query }), refused);
      expectFailure(await widgets.patch('a', { merge: unknown }, { query }), {
        code: 422,
        reason: 'Invalid',
        fields: ['patch'],
      });
      expect(objectIn(await widgets.get('a'))).toEqual(created);
    },
  },
  {
    rule: 'an unknown field is dropped with a warning under fieldValidation Warn',
    run: async ({ widgets, configMaps }) => {
      const query = { fieldValidation: 'Warn' };
      const answer = await widgets.post(widgets.draft('a', unknown), query);
      expect(objectIn(answer, 201).spec).not.toHaveProperty('unknown');
      expect(answer.headers.warning).toMatch(/^299 - ".*spec\.unknown/);
      const builtin = await configMaps.post(configMaps.draft('a', { dat: {} }), query);
      expect(objectIn(builtin, 201)).not.toHaveProperty('dat');
      expect(builtin.headers.warning).toMatch(/^299 - ".*dat/);
    },
  },
  {
    rule: 'an unknown field is dropped without a warning under fieldValidation Ignore',
    run: async ({ widgets }) => {
      const answer = await widgets.post(widgets.draft('a', unknown), { fieldValidation: 'Ignore' });
      expect(objectIn(answer, 201).spec).not.toHaveProperty('unknown');
      expect(answer.headers).not.toHaveProperty('warning');
    },
  },
  {
    rule: 'the default of fieldValidation is Warn',
    run: async ({ widgets }) => {
      const answer = await widgets.post(widgets.draft('a', unknown));
      expect(objectIn(answer, 201).spec).not.toHaveProperty('unknown');
      expect(answer.headers.warning).toMatch(/^299 - /);
    },
  },
  {
    rule: 'a duplicate field is 400 under Strict, and otherwise the last value counts',
    run: async ({ widgets, target }) => {
      const body = `{"apiVersion":"${widgets.apiVersion}","kind":"Widget","metadata":{"name":"a"},
        "spec":{"size":1,"size":2}}`;
      const request = { method: 'POST', path: widgets.path(), body } as const;
      const strict = await target.request({ ...request, query: { fieldValidation: 'Strict' } });
      expectFailure(strict, refused);
      const lenient = await target.request(request);
      expect(objectIn(lenient, 201).spec).toMatchObject({ size: 2 });
      expect(lenient.headers.warning).toMatch(/^299 - /);
    },
  },
  {
    rule: 'an unknown field below a field that preserves unknown fields is allowed under Strict',
    run: async ({ widgets }) => {
      const open = { any: { depth: [1, 'two', null] } };
      const draft = widgets.draft('a', { spec: { size: 1, open } });
      const created = objectIn(await widgets.post(draft, { fieldValidation: 'Strict' }), 201);
      expect(created.spec).toMatchObject({ open });
    },
  },
  {
    rule: 'an unknown value of fieldValidation is 422',
    run: async ({ widgets }) => {
      const answer = await widgets.post(widgets.draft('a', unknown), { fieldValidation: 'Loud' });
      expectFailure(answer, { code: 422, reason: 'Invalid', fields: ['fieldValidation'] });
    },
  },
];
