/** JSON merge patch (RFC 7386), and rules for all kinds of patch. */
import { expect } from 'vitest';
import type { Case } from '../case.ts';
import { expectFailure } from '../failure.ts';
import { objectIn } from '../kube-object.ts';

const spec = { size: 1 };

export const patchMergeCases: readonly Case[] = [
  {
    rule: 'a merge patch merges objects, replaces lists and removes fields that are null',
    run: async ({ widgets }) => {
      const before = { size: 1, code: 'abc', steps: ['one', 'two'], labels: { a: '1', b: '2' } };
      objectIn(await widgets.post(widgets.draft('a', { spec: before })), 201);
      const merge = { spec: { code: null, steps: ['three'], labels: { b: null, c: '3' } } };
      const patched = objectIn(await widgets.patch('a', { merge }));
      expect(patched.spec).toMatchObject({ size: 1, steps: ['three'], labels: { a: '1', c: '3' } });
      expect(patched.spec).toHaveProperty('labels', { a: '1', c: '3' });
      expect(patched.spec).not.toHaveProperty('code');
    },
  },
  {
    rule: 'a merge patch also replaces lists of builtins',
    run: async ({ configMaps }) => {
      const metadata = { finalizers: ['contract.muster.dev/a', 'contract.muster.dev/b'] };
      objectIn(await configMaps.post(configMaps.draft('a', { metadata })), 201);
      const merge = { metadata: { finalizers: ['contract.muster.dev/c'] } };
      expect(objectIn(await configMaps.patch('a', { merge })).metadata.finalizers).toEqual([
        'contract.muster.dev/c',
      ]);
    },
  },
  {
    rule: 'a null for a missing field in a merge patch does nothing',
    run: async ({ configMaps }) => {
      const created = objectIn(await configMaps.post(configMaps.draft('a', { data: { x: '1' } })), 201);
      const merge = { data: { y: null }, metadata: { labels: null } };
      expect(objectIn(await configMaps.patch('a', { merge }))).toEqual(created);
    },
  },
  {
    rule: 'pruning, defaulting and validation run on the result of a merge patch',
    run: async ({ widgets }) => {
      const created = objectIn(await widgets.post(widgets.draft('a', { spec })), 201);
      const merge = { spec: { unknown: true, mode: null } };
      const patched = objectIn(await widgets.patch('a', { merge }));
      expect(patched).toEqual(created);
      const refused = await widgets.patch('a', { merge: { spec: { size: null } } });
      expectFailure(refused, { code: 422, reason: 'Invalid', fields: ['spec.size'] });
    },
  },
  {
    rule: 'a merge patch of a missing object is 404',
    run: async ({ widgets, configMaps }) => {
      const missing = { code: 404, reason: 'NotFound' };
      expectFailure(await widgets.patch('a', { merge: { spec } }), missing);
      expectFailure(await configMaps.patch('a', { merge: { data: { x: '1' } } }), missing);
    },
  },
  {
    rule: 'a patch cannot change the name, the namespace or the uid',
    run: async ({ widgets, configMaps }) => {
      const created = objectIn(await widgets.post(widgets.draft('a', { spec })), 201);
      objectIn(await configMaps.post(configMaps.draft('a')), 201);
      const uid = '11111111-2222-4333-8444-555555555555';
      for (const collection of [widgets, configMaps]) {
        const rename = await collection.patch('a', { merge: { metadata: { name: 'b' } } });
        expectFailure(rename, { code: 400, reason: 'BadRequest' });
        const move = await collection.patch('a', { merge: { metadata: { namespace: 'default' } } });
        expectFailure(move, { code: 400, reason: 'BadRequest' });
        const exchange = await collection.patch('a', { merge: { metadata: { uid } } });
        expectFailure(exchange, { code: 422, reason: 'Invalid', fields: ['metadata.uid'] });
      }
      expect(objectIn(await widgets.get('a'))).toEqual(created);
    },
  },
  {
    rule: 'a patch that is not JSON is 400',
    run: async ({ widgets, configMaps }) => {
      objectIn(await widgets.post(widgets.draft('a', { spec })), 201);
      objectIn(await configMaps.post(configMaps.draft('a')), 201);
      for (const collection of [widgets, configMaps]) {
        expectFailure(await collection.patch('a', { merge: '{"spec":' }), {
          code: 400,
          reason: 'BadRequest',
        });
      }
    },
  },
  {
    rule: 'a patch in an unknown format is 415',
    run: async ({ widgets, target }) => {
      objectIn(await widgets.post(widgets.draft('a', { spec })), 201);
      const refused = await target.request({
        method: 'PATCH',
        path: widgets.path('a'),
        body: { spec: { size: 2 } },
        contentType: 'application/json',
      });
      expectFailure(refused, { code: 415, reason: 'UnsupportedMediaType' });
    },
  },
  {
    rule: 'a strategic merge patch of a custom resource is 415',
    run: async ({ widgets }) => {
      objectIn(await widgets.post(widgets.draft('a', { spec })), 201);
      const refused = await widgets.patch('a', { strategic: { spec: { size: 2 } } });
      expectFailure(refused, { code: 415, reason: 'UnsupportedMediaType' });
    },
  },
];
