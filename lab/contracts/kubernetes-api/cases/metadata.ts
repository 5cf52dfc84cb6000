/** The parts of the metadata that only the server sets. */
import { expect } from 'vitest';
import type { Case } from '../case.ts';
import { expectFailure } from '../failure.ts';
import { objectIn, revisionOf } from '../kube-object.ts';

const spec = { size: 1 };
const moment = '2001-02-03T04:05:06Z';

export const metadataCases: readonly Case[] = [
  {
    rule: 'an object gets a uid, a revision and a time of creation in whole seconds',
    run: async ({ widgets, configMaps }) => {
      for (const created of [
        objectIn(await widgets.post(widgets.draft('a', { spec })), 201),
        objectIn(await configMaps.post(configMaps.draft('a')), 201),
      ]) {
        expect(created.metadata).toMatchObject({
          uid: expect.stringMatching(/^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/),
          resourceVersion: expect.stringMatching(/^[1-9][0-9]*$/),
          creationTimestamp: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ$/),
        });
      }
    },
  },
  {
    rule: 'a create ignores the uid, generation and times of the request',
    run: async ({ widgets, configMaps }) => {
      const metadata = {
        uid: '11111111-2222-4333-8444-555555555555',
        generation: 7,
        creationTimestamp: moment,
        deletionTimestamp: moment,
        deletionGracePeriodSeconds: 5,
      };
      const custom = objectIn(await widgets.post(widgets.draft('a', { metadata, spec })), 201);
      expect(custom.metadata.generation).toBe(1);
      const builtin = objectIn(await configMaps.post(configMaps.draft('a', { metadata })), 201);
      for (const created of [custom, builtin]) {
        expect(created.metadata.uid).not.toBe(metadata.uid);
        expect(created.metadata.creationTimestamp).not.toBe(moment);
        expect(created.metadata).not.toHaveProperty('deletionTimestamp');
        expect(created.metadata).not.toHaveProperty('deletionGracePeriodSeconds');
      }
    },
  },
  {
    rule: 'an object created again under the same name gets another uid',
    run: async ({ widgets }) => {
      const first = objectIn(await widgets.post(widgets.draft('a', { spec })), 201);
      expect(await widgets.delete('a')).toMatchObject({ status: 200 });
      const second = objectIn(await widgets.post(widgets.draft('a', { spec })), 201);
      expect(second.metadata.uid).not.toBe(first.metadata.uid);
      expect(revisionOf(second)).toBeGreaterThan(revisionOf(first));
    },
  },
  {
    rule: 'an update restores creationTimestamp and generation without a warning',
    run: async ({ widgets }) => {
      const { metadata, ...rest } = objectIn(await widgets.post(widgets.draft('a', { spec })), 201);
      const changed = { ...metadata, creationTimestamp: moment, generation: 9, labels: { changed: 'yes' } };
      const updated = objectIn(await widgets.put('a', { ...rest, metadata: changed }));
      expect(updated.metadata).toMatchObject({
        creationTimestamp: metadata.creationTimestamp,
        generation: 1,
        labels: { changed: 'yes' },
      });
    },
  },
  {
    rule: 'an update cannot begin a deletion: a deletionTimestamp is 422',
    run: async ({ widgets, configMaps }) => {
      const widget = objectIn(await widgets.post(widgets.draft('a', { spec })), 201);
      const map = objectIn(await configMaps.post(configMaps.draft('a')), 201);
      const invalid = {
        code: 422,
        reason: 'Invalid',
        fields: ['metadata.deletionGracePeriodSeconds', 'metadata.deletionTimestamp'],
      };
      const begun = { deletionTimestamp: moment, deletionGracePeriodSeconds: 5 };
      const changed = { ...widget, metadata: { ...widget.metadata, ...begun } };
      expectFailure(await widgets.put('a', changed), invalid);
      expectFailure(await configMaps.put('a', { ...map, metadata: { ...map.metadata, ...begun } }), invalid);
    },
  },
  {
    rule: 'an update without uid and creationTimestamp keeps both',
    run: async ({ widgets }) => {
      const { metadata } = objectIn(await widgets.post(widgets.draft('a', { spec })), 201);
      const { resourceVersion, uid, creationTimestamp } = metadata;
      const draft = widgets.draft('a', { metadata: { resourceVersion }, spec: { size: 2 } });
      expect(objectIn(await widgets.put('a', draft)).metadata).toMatchObject({ uid, creationTimestamp });
    },
  },
  {
    rule: 'labels and annotations are checked on write',
    run: async ({ widgets, configMaps }) => {
      const metadata = { labels: { 'a b': 'x' }, annotations: { '-': 'y' } };
      const invalid = {
        code: 422,
        reason: 'Invalid',
        fields: ['metadata.annotations', 'metadata.labels'],
      };
      expectFailure(await widgets.post(widgets.draft('a', { metadata, spec })), invalid);
      expectFailure(await configMaps.post(configMaps.draft('a', { metadata })), invalid);
      const long = { labels: { a: 'x'.repeat(64) } };
      expectFailure(await configMaps.post(configMaps.draft('a', { metadata: long })), {
        code: 422,
        reason: 'Invalid',
        fields: ['metadata.labels'],
      });
    },
  },
  {
    rule: 'a label that is not a string is 400',
    run: async ({ widgets, configMaps }) => {
      const metadata = { labels: { a: 1 } };
      const refused = { code: 400, reason: 'BadRequest' };
      expectFailure(await widgets.post(widgets.draft('a', { metadata, spec })), refused);
      expectFailure(await configMaps.post(configMaps.draft('a', { metadata })), refused);
    },
  },
  {
    rule: 'an unknown field of metadata is dropped',
    run: async ({ widgets }) => {
      const created = objectIn(
        await widgets.post(widgets.draft('a', { metadata: { colour: 'red' }, spec })),
        201,
      );
      expect(created.metadata).not.toHaveProperty('colour');
    },
  },
];
