/** Finalizers delay a deletion until the last one is removed. */
import { expect } from 'vitest';
import type { Case } from '../case.ts';
import { expectFailure } from '../failure.ts';
import { asObject, objectIn, revisionOf } from '../kube-object.ts';
import { nextEvents, eventTexts } from '../watching.ts';

const spec = { size: 1 };
const hold = 'contract.muster.dev/hold';
const held = { metadata: { finalizers: [hold] }, spec };

export const finalizersCases: readonly Case[] = [
  {
    rule: 'a delete of an object with finalizers answers 200 with the object, which is marked and still exists',
    run: async ({ widgets }) => {
      const created = objectIn(await widgets.post(widgets.draft('a', held)), 201);
      const deleted = objectIn(await widgets.delete('a'));
      expect(deleted.metadata).toMatchObject({
        uid: created.metadata.uid,
        finalizers: [hold],
        deletionTimestamp: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ$/),
        deletionGracePeriodSeconds: 0,
      });
      expect(revisionOf(deleted)).toBeGreaterThan(revisionOf(created));
      expect(objectIn(await widgets.get('a'))).toEqual(deleted);
    },
  },
  {
    rule: 'a second delete of an object that is being deleted changes nothing',
    run: async ({ widgets, configMaps }) => {
      objectIn(await widgets.post(widgets.draft('a', held)), 201);
      const first = objectIn(await widgets.delete('a'));
      expect(objectIn(await widgets.delete('a'))).toEqual(first);
      objectIn(await configMaps.post(configMaps.draft('a', { metadata: held.metadata })), 201);
      const map = objectIn(await configMaps.delete('a'));
      expect(objectIn(await configMaps.delete('a'))).toEqual(map);
    },
  },
  {
    rule: 'the object is removed with its last finalizer, by update or by patch',
    run: async ({ widgets }) => {
      for (const name of ['a', 'b']) {
        objectIn(await widgets.post(widgets.draft(name, held)), 201);
        const { metadata, ...rest } = objectIn(await widgets.delete(name));
        const answer =
          name === 'a'
            ? await widgets.put(name, { ...rest, metadata: { ...metadata, finalizers: [] } })
            : await widgets.patch(name, { merge: { metadata: { finalizers: null } } });
        expect(objectIn(answer).metadata).not.toHaveProperty('finalizers');
        expectFailure(await widgets.get(name), { code: 404, reason: 'NotFound' });
      }
    },
  },
  {
    rule: 'removing the last finalizer sends one DELETED event and no MODIFIED',
    run: async ({ widgets }) => {
      const { resourceVersion } = objectIn(await widgets.post(widgets.draft('a', held)), 201).metadata;
      const watch = await widgets.watch({ resourceVersion });
      const marked = objectIn(await widgets.delete('a'));
      objectIn(await widgets.patch('a', { merge: { metadata: { finalizers: null } } }));
      objectIn(await widgets.post(widgets.draft('last', { spec })), 201);
      const events = await nextEvents(watch, 3);
      expect(eventTexts(events)).toEqual(['MODIFIED a', 'DELETED a', 'ADDED last']);
      expect(revisionOf(asObject(events[1]?.object))).toBeGreaterThan(revisionOf(marked));
    },
  },
  {
    rule: 'removing one of two finalizers keeps the object',
    run: async ({ widgets }) => {
      const metadata = { finalizers: [hold, 'contract.muster.dev/second'] };
      objectIn(await widgets.post(widgets.draft('a', { metadata, spec })), 201);
      objectIn(await widgets.delete('a'));
      objectIn(await widgets.patch('a', { merge: { metadata: { finalizers: [hold] } } }));
      expect(objectIn(await widgets.get('a')).metadata.finalizers).toEqual([hold]);
    },
  },
  {
    rule: 'a finalizer cannot be added to an object that is being deleted',
    run: async ({ widgets, configMaps }) => {
      const added = { metadata: { finalizers: [hold, 'contract.muster.dev/second'] } };
      const refused = { code: 422, reason: 'Invalid', fields: ['metadata.finalizers'] };
      objectIn(await widgets.post(widgets.draft('a', held)), 201);
      objectIn(await widgets.delete('a'));
      expectFailure(await widgets.patch('a', { merge: added }), refused);
      objectIn(await configMaps.post(configMaps.draft('a', { metadata: held.metadata })), 201);
      objectIn(await configMaps.delete('a'));
      expectFailure(await configMaps.patch('a', { merge: added }), refused);
    },
  },
  {
    rule: 'other fields of an object that is being deleted can change, and no write undoes the deletion',
    run: async ({ widgets }) => {
      objectIn(await widgets.post(widgets.draft('a', held)), 201);
      const { deletionTimestamp } = objectIn(await widgets.delete('a')).metadata;
      const merge = { metadata: { deletionTimestamp: null, labels: { a: '1' } }, spec: { size: 2 } };
      expect(objectIn(await widgets.patch('a', { merge }))).toMatchObject({
        metadata: { deletionTimestamp, labels: { a: '1' } },
        spec: { size: 2 },
      });
    },
  },
  {
    rule: 'a finalizer without a slash is refused on a builtin and accepted with a warning on a custom resource',
    run: async ({ widgets, configMaps }) => {
      const metadata = { finalizers: ['plain'] };
      const refused = await configMaps.post(configMaps.draft('a', { metadata }));
      expectFailure(refused, { code: 422, reason: 'Invalid', fields: ['metadata.finalizers[0]'] });
      const taken = await widgets.post(widgets.draft('a', { metadata, spec }));
      expect(objectIn(taken, 201).metadata.finalizers).toEqual(['plain']);
      expect(taken.headers.warning).toMatch(/^299 /);
    },
  },
];
