/** A write that changes nothing makes no revision and no event. */
import { expect } from 'vitest';
import type { Case } from '../case.ts';
import type { Collection } from '../collection.ts';
import { objectIn, type KubeObject } from '../kube-object.ts';
import type { Response } from '../target.ts';
import { nextEvents, eventTexts } from '../watching.ts';

const spec = { size: 1 };

export const noOpCases: readonly Case[] = [
  {
    rule: 'an update with the stored content makes no revision and no event',
    run: async ({ widgets, configMaps }) => {
      await expectSilence(widgets, { spec }, (stored) => widgets.put('a', stored));
      await expectSilence(configMaps, { data: { x: '1' } }, (stored) => configMaps.put('a', stored));
    },
  },
  {
    rule: 'an update that differs only in pruned or defaulted fields is no write',
    run: async ({ widgets }) => {
      await expectSilence(widgets, { spec }, ({ metadata: { resourceVersion } }) =>
        widgets.put(
          'a',
          widgets.draft('a', { metadata: { resourceVersion }, spec: { ...spec, unknown: true } }),
        ),
      );
    },
  },
  {
    rule: 'a merge patch that changes nothing is no write',
    run: async ({ widgets, configMaps }) => {
      await expectSilence(widgets, { spec }, () => widgets.patch('a', { merge: { spec: { size: 1 } } }));
      await expectSilence(configMaps, { data: { x: '1' } }, () => configMaps.patch('a', { merge: {} }));
    },
  },
  {
    rule: 'a JSON patch that changes nothing is no write',
    run: async ({ widgets }) => {
      await expectSilence(widgets, { spec }, () =>
        widgets.patch('a', { json: [{ op: 'replace', path: '/spec/size', value: 1 }] }),
      );
    },
  },
  {
    rule: 'a status update that changes nothing is no write',
    run: async ({ widgets }) => {
      await expectSilence(widgets, { spec }, (stored) => widgets.put('a', stored, { subresource: 'status' }));
    },
  },
  {
    rule: 'a main update that changes only the status is no write where there is a status subresource',
    run: async ({ widgets }) => {
      await expectSilence(widgets, { spec }, (stored) =>
        widgets.put('a', { ...stored, status: { phase: 'Up' } }),
      );
    },
  },
];

/** Makes one more write at the end: its event must be the next event of a watch. */
async function expectSilence(
  collection: Collection,
  fields: Readonly<Record<string, unknown>>,
  write: (stored: KubeObject) => Promise<Response>,
): Promise<void> {
  const stored = objectIn(await collection.post(collection.draft('a', fields)), 201);
  const watch = await collection.watch({ resourceVersion: stored.metadata.resourceVersion });
  expect(objectIn(await write(stored))).toEqual(stored);
  expect(objectIn(await collection.get('a'))).toEqual(stored);
  const last = objectIn(await collection.post(collection.draft('last', fields)), 201);
  const events = await nextEvents(watch, 1);
  expect(eventTexts(events)).toEqual(['ADDED last']);
  expect(events[0]?.object).toEqual(last);
}
