/** Server-side apply: field ownership, and its effect on the next writer. */
import { expect } from 'vitest';
import { apply, as, fieldsOf, managersOf } from '../applying.ts';
import type { Case } from '../case.ts';
import { expectFailure } from '../failure.ts';
import { objectIn } from '../kube-object.ts';
import type { Query, Response } from '../target.ts';

export const serverSideApplyCases: readonly Case[] = [
  {
    rule: 'an apply creates a missing object with 201, and answers 200 afterwards',
    run: async (context) => {
      const created = objectIn(await apply(context, { spec: { size: 1 } }, as('one')), 201);
      expect(created).toMatchObject({ spec: { size: 1 }, metadata: { generation: 1 } });
      expect(objectIn(await apply(context, { spec: { size: 2 } }, as('one'))).spec).toMatchObject({
        size: 2,
      });
    },
  },
  {
    rule: 'an apply records its fields under its manager',
    run: async (context) => {
      const fields = { metadata: { labels: { l: '1' } }, spec: { size: 1, steps: ['a'] } };
      const created = objectIn(await apply(context, fields, as('one')), 201);
      expect(created.metadata.managedFields).toEqual([
        {
          manager: 'one',
          operation: 'Apply',
          apiVersion: 'contract.muster.dev/v1',
          time: expect.any(String),
          fieldsType: 'FieldsV1',
          fieldsV1: {
            'f:metadata': { 'f:labels': { 'f:l': {} } },
            'f:spec': { 'f:size': {}, 'f:steps': {} },
          },
        },
      ]);
    },
  },
  {
    rule: 'an apply without a field manager is 422',
    run: async (context) => {
      const refused = await apply(context, { spec: { size: 1 } }, {});
      expectFailure(refused, { code: 422, reason: 'Invalid', fields: ['fieldManager'] });
    },
  },
  {
    rule: 'the same apply again is no write',
    run: async (context) => {
      const fields = { spec: { size: 1, parts: [{ name: 'p' }] } };
      const created = objectIn(await apply(context, fields, as('one')), 201);
      expect(objectIn(await apply(context, fields, as('one')))).toEqual(created);
    },
  },
  {
    rule: 'an apply of another value for a field of another manager is 409 with a cause for the field',
    run: async (context) => {
      const created = objectIn(await apply(context, { spec: { size: 1, code: 'x' } }, as('one')), 201);
      const refused = await apply(context, { spec: { size: 2, code: 'x' } }, as('two'));
      expectFailure(refused, {
        code: 409,
        reason: 'Conflict',
        causes: ['FieldManagerConflict'],
        fields: ['.spec.size'],
      });
      expect(objectIn(await context.widgets.get('a'))).toEqual(created);
    },
  },
  {
    rule: 'a forced apply takes the field from its owner',
    run: async (context) => {
      objectIn(await apply(context, { spec: { size: 1, code: 'x' } }, as('one')), 201);
      const taken = objectIn(await apply(context, { spec: { size: 2 } }, as('two', { force: 'true' })));
      expect(taken.spec).toMatchObject({ size: 2, code: 'x' });
      expect(fieldsOf(taken, 'one')).toEqual({ 'f:spec': { 'f:code': {} } });
      expect(fieldsOf(taken, 'two')).toEqual({ 'f:spec': { 'f:size': {} } });
    },
  },
  {
    rule: 'a value applied by two managers is owned by both',
    run: async (context) => {
      objectIn(await apply(context, { spec: { size: 1 } }, as('one')), 201);
      const shared = objectIn(await apply(context, { spec: { size: 1 } }, as('two')));
      expect(managersOf(shared)).toEqual(['one Apply', 'two Apply']);
      expect(fieldsOf(shared, 'one')).toEqual(fieldsOf(shared, 'two'));
    },
  },
  {
    rule: 'a field is removed when its only owner no longer applies it',
    run: async (context) => {
      objectIn(await apply(context, { spec: { size: 1, code: 'x' } }, as('one')), 201);
      const after = objectIn(await apply(context, { spec: { size: 1 } }, as('one')));
      expect(after.spec).not.toHaveProperty('code');
    },
  },
  {
    rule: 'a field stays when one of two owners no longer applies it',
    run: async (context) => {
      objectIn(await apply(context, { spec: { size: 1, code: 'x' } }, as('one')), 201);
      objectIn(await apply(context, { spec: { size: 1, code: 'x' } }, as('two')));
      const after = objectIn(await apply(context, { spec: { size: 1 } }, as('one')));
      expect(after.spec).toMatchObject({ code: 'x' });
      expect(fieldsOf(after, 'one')).toEqual({ 'f:spec': { 'f:size': {} } });
    },
  },
  {
    rule: 'a defaulted field that is no longer applied goes back to its default',
    run: async (context) => {
      objectIn(await apply(context, { spec: { size: 1, mode: 'Fast' } }, as('one')), 201);
      const after = objectIn(await apply(context, { spec: { size: 1 } }, as('one')));
      expect(after.spec).toMatchObject({ mode: 'Slow' });
    },
  },
  {
    rule: 'an ordinary update takes over changed fields, under the operation Update',
    run: async (context) => {
      objectIn(await apply(context, { spec: { size: 1, code: 'x' } }, as('one')), 201);
      const merge = { spec: { size: 2 } };
      const { widgets } = context;
      const updated = objectIn(await widgets.patch('a', { merge }, { query: as('editor') }));
      expect(managersOf(updated)).toEqual(['editor Update', 'one Apply']);
      expect(fieldsOf(updated, 'one')).toEqual({ 'f:spec': { 'f:code': {} } });
      expect(fieldsOf(updated, 'editor')).toEqual({ 'f:spec': { 'f:size': {} } });
      const refused = await apply(context, { spec: { size: 3, code: 'x' } }, as('one'));
      expectFailure(refused, { code: 409, reason: 'Conflict', fields: ['.spec.size'] });
    },
  },
  {
    rule: 'a create records its manager under the operation Update',
    run: async (context) => {
      const { widgets } = context;
      const draft = widgets.draft('a', { spec: { size: 1 } });
      expect(managersOf(objectIn(await widgets.post(draft, as('author')), 201))).toEqual(['author Update']);
    },
  },
  {
    rule: 'an apply of the status is recorded separately, and changes nothing else',
    run: async (context) => {
      objectIn(await apply(context, { spec: { size: 1 } }, as('one')), 201);
      const { widgets } = context;
      const body = widgets.draft('a', { spec: { size: 5 }, status: { phase: 'Up' } });
      const options = { query: as('one'), subresource: 'status' };
      const applied = objectIn(await widgets.patch('a', { apply: body }, options));
      expect(applied).toMatchObject({ spec: { size: 1 }, status: { phase: 'Up' } });
      expect(managersOf(applied)).toEqual(['one Apply', 'one Apply status']);
    },
  },
  {
    rule: 'an apply that carries managedFields is 400',
    run: async (context) => {
      const { metadata } = objectIn(await apply(context, { spec: { size: 1 } }, as('one')), 201);
      const { managedFields } = metadata;
      const refused = await apply(context, { metadata: { managedFields }, spec: { size: 1 } }, as('one'));
      expectFailure(refused, { code: 400, reason: 'BadRequest' });
    },
  },
  {
    rule: 'an apply with an outdated revision is 409',
    run: async (context) => {
      const { metadata } = objectIn(await apply(context, { spec: { size: 1 } }, as('one')), 201);
      const { resourceVersion } = metadata;
      objectIn(await apply(context, { spec: { size: 2 } }, as('one')));
      const late = await apply(context, { metadata: { resourceVersion }, spec: { size: 3 } }, as('one'));
      expectFailure(late, { code: 409, reason: 'Conflict' });
    },
  },
  {
    rule: 'the result of an apply is validated',
    run: async (context) => {
      const refused = await apply(context, { spec: { size: 99 } }, as('one'));
      expectFailure(refused, { code: 422, reason: 'Invalid', fields: ['spec.size'] });
    },
  },
  {
    rule: 'an apply under another name than the path is 400',
    run: async ({ widgets }) => {
      const body = widgets.draft('b', { spec: { size: 1 } });
      const refused = await widgets.patch('a', { apply: body }, { query: as('one') });
      expectFailure(refused, { code: 400, reason: 'BadRequest' });
    },
  },
  {
    rule: 'force is valid for applies only',
    run: async ({ widgets }) => {
      objectIn(await widgets.post(widgets.draft('a', { spec: { size: 1 } })), 201);
      const query = { force: 'true' };
      const refused = await widgets.patch('a', { merge: { spec: { size: 2 } } }, { query });
      expectFailure(refused, { code: 422, reason: 'Invalid', fields: ['force'] });
    },
  },
  {
    rule: 'an update without managedFields keeps the recorded managers',
    run: async ({ configMaps }) => {
      const created = objectIn(await configMaps.post(configMaps.draft('a', { data: { x: '1' } })), 201);
      const { managedFields, ...metadata } = created.metadata;
      expect(managedFields).toHaveLength(1);
      const updated = objectIn(await configMaps.put('a', { ...created, metadata }));
      expect(updated.metadata.managedFields).toEqual(managedFields);
    },
  },
  {
    rule: 'an empty list of managedFields in an update drops the recorded managers',
    run: async (context) => {
      const created = objectIn(await apply(context, { spec: { size: 1 } }, as('one')), 201);
      const metadata = { ...created.metadata, managedFields: [{}] };
      const { widgets } = context;
      const reset = objectIn(await widgets.put('a', { ...created, metadata }, { query: as('editor') }));
      expect(managersOf(reset)).not.toContain('one Apply');
    },
  },
  {
    rule: 'builtins are applied the same way',
    run: async ({ configMaps }) => {
      const send = (data: Readonly<Record<string, string>>, query: Query): Promise<Response> =>
        configMaps.patch('a', { apply: configMaps.draft('a', { data }) }, { query });
      objectIn(await send({ x: '1', y: '1' }, as('one')), 201);
      const refused = await send({ x: '2' }, as('two'));
      expectFailure(refused, { code: 409, reason: 'Conflict', fields: ['.data.x'] });
      const both = objectIn(await send({ z: '1' }, as('two')));
      expect(both.data).toEqual({ x: '1', y: '1', z: '1' });
      expect(objectIn(await send({ x: '1' }, as('one'))).data).toEqual({ x: '1', z: '1' });
    },
  },
];
