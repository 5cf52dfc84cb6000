/** A scale is an object of its own type, with the name and the uid of the scaled object. */
import { expect } from 'vitest';
import type { Case, Context } from '../case.ts';
import { expectFailure } from '../failure.ts';
import { objectIn } from '../kube-object.ts';
import type { Response } from '../target.ts';

const onScale = { subresource: 'scale' };
const badRequest = { code: 400, reason: 'BadRequest' };

async function put({ widgets }: Context, fields: object): Promise<Response> {
  return widgets.put('a', { metadata: { name: 'a' }, spec: { replicas: 2 }, ...fields }, onScale);
}

export const typedScaleCases: readonly Case[] = [
  {
    rule: 'a scale of another name, version or type is 400, and a scale of another uid is 409',
    run: async (context) => {
      const { widgets } = context;
      objectIn(await widgets.post(widgets.draft('a', { spec: { size: 1 } })), 201);
      expectFailure(await put(context, { metadata: { name: 'b' } }), badRequest);
      expectFailure(await put(context, { apiVersion: 'v1', kind: 'Scale' }), badRequest);
      expectFailure(await put(context, { spec: { replicas: 'x' } }), badRequest);
      const conflict = { code: 409, reason: 'Conflict' };
      expectFailure(await put(context, { metadata: { name: 'a', uid: 'x' } }), conflict);
    },
  },
  {
    rule: 'unknown fields of a scale give a warning',
    run: async (context) => {
      const { widgets } = context;
      objectIn(await widgets.post(widgets.draft('a', { spec: { size: 1 } })), 201);
      const answer = await put(context, { bogus: 1 });
      expect(objectIn(answer)).toMatchObject({ spec: { replicas: 2 } });
      expect(answer.headers).toHaveProperty('warning');
    },
  },
  {
    rule: 'a scale without replicas means zero, and is returned without the field',
    run: async (context) => {
      const { widgets } = context;
      objectIn(await widgets.post(widgets.draft('a', { spec: { size: 1 } })), 201);
      expect(objectIn(await put(context, { spec: {} }))['spec']).toEqual({});
      expect(objectIn(await widgets.get('a'))['spec']).toMatchObject({ replicas: 0 });
    },
  },
  {
    rule: 'an object without replicas has no scale to read',
    run: async ({ widgets, target }) => {
      objectIn(await widgets.post(widgets.draft('a')), 201);
      const refused = await target.request({ method: 'GET', path: widgets.path('a', 'scale') });
      expectFailure(refused, { code: 500, reason: 'InternalError' });
      expectFailure(await widgets.patch('a', { json: [] }, onScale), badRequest);
    },
  },
  {
    rule: 'the replicas of a scale must be a count, even in a write of the whole object',
    run: async ({ widgets }) => {
      const refused = { code: 422, reason: 'Invalid', fields: ['.spec.replicas'] };
      expectFailure(await widgets.post(widgets.draft('a', { spec: { size: 1, replicas: -1 } })), refused);
      objectIn(await widgets.post(widgets.draft('a', { spec: { size: 1 } })), 201);
      const status = await widgets.patch(
        'a',
        { merge: { status: { ready: -1 } } },
        { subresource: 'status' },
      );
      expectFailure(status, { ...refused, fields: ['.status.ready'] });
    },
  },
];
