/** A dry run answers like the write and stores nothing. */
import { expect } from 'vitest';
import type { Case } from '../case.ts';
import { expectFailure } from '../failure.ts';
import { objectIn } from '../kube-object.ts';
import { nextEvents, eventTexts } from '../watching.ts';

const spec = { size: 1 };
const query = { dryRun: 'All' };

export const dryRunCases: readonly Case[] = [
  {
    rule: 'a dry run of a create answers 201 with the defaulted object, without a revision, and stores nothing',
    run: async ({ widgets, configMaps }) => {
      const widget = objectIn(await widgets.post(widgets.draft('a', { spec }), query), 201);
      expect(widget).toMatchObject({
        spec: { size: 1, mode: 'Slow' },
        metadata: { uid: expect.any(String) },
      });
      expect(widget.metadata).not.toHaveProperty('resourceVersion');
      objectIn(await configMaps.post(configMaps.draft('a'), query), 201);
      const missing = { code: 404, reason: 'NotFound' };
      expectFailure(await widgets.get('a'), missing);
      expectFailure(await configMaps.get('a'), missing);
    },
  },
  {
    rule: 'a dry run of an update, a patch or a delete changes nothing and makes no event',
    run: async ({ widgets }) => {
      const created = objectIn(await widgets.post(widgets.draft('a', { spec })), 201);
      const watch = await widgets.watch({ resourceVersion: created.metadata.resourceVersion });
      const put = objectIn(await widgets.put('a', { ...created, spec: { size: 2 } }, { query }));
      expect(put.spec).toMatchObject({ size: 2 });
      const patched = objectIn(await widgets.patch('a', { merge: { spec: { size: 3 } } }, { query }));
      expect(patched.spec).toMatchObject({ size: 3 });
      expect(await widgets.delete('a', { query })).toMatchObject({ status: 200 });
      expect(await widgets.delete('a', { options: { dryRun: ['All'] } })).toMatchObject({ status: 200 });
      expect(objectIn(await widgets.get('a'))).toEqual(created);
      objectIn(await widgets.post(widgets.draft('last', { spec })), 201);
      expect(eventTexts(await nextEvents(watch, 1))).toEqual(['ADDED last']);
    },
  },
  {
    rule: 'a dry run is refused like the write',
    run: async ({ widgets }) => {
      const invalid = await widgets.post(widgets.draft('a', { spec: { size: 99 } }), query);
      expectFailure(invalid, { code: 422, reason: 'Invalid', fields: ['spec.size'] });
      objectIn(await widgets.post(widgets.draft('a', { spec })), 201);
      const taken = await widgets.post(widgets.draft('a', { spec }), query);
      expectFailure(taken, { code: 409, reason: 'AlreadyExists' });
    },
  },
  {
    rule: 'a dry run other than All is 422 for dryRun',
    run: async ({ widgets }) => {
      const refused = await widgets.post(widgets.draft('a', { spec }), { dryRun: 'Some' });
      expectFailure(refused, { code: 422, reason: 'Invalid', fields: ['dryRun'] });
    },
  },
];
