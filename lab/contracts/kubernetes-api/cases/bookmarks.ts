/** Bookmarks, and watches that begin with the whole state (WatchList). */
import { expect } from 'vitest';
import type { Case } from '../case.ts';
import { expectFailure } from '../failure.ts';
import { asObject, objectIn, revisionOf } from '../kube-object.ts';
import { eventsUntil, nextEvents, eventTexts } from '../watching.ts';

const spec = { size: 1 };
const initialEvents = {
  sendInitialEvents: 'true',
  resourceVersionMatch: 'NotOlderThan',
  allowWatchBookmarks: 'true',
};
const endMark = 'k8s.io/initial-events-end';

export const bookmarksCases: readonly Case[] = [
  {
    rule: 'a watch with sendInitialEvents sends ADDED for each existing object, then a BOOKMARK that marks the end, then continues',
    run: async ({ widgets, secrets }) => {
      for (const [collection, kind] of [
        [widgets, 'Widget'],
        [secrets, 'Secret'],
      ] as const) {
        for (const name of ['a', 'b']) objectIn(await collection.post(collection.draft(name, { spec })), 201);
        const newest = objectIn(await collection.get('b'));
        const watch = await collection.watch(initialEvents);
        const events = await eventsUntil(watch, ({ type }) => type === 'BOOKMARK');
        const mark = asObject(events.at(-1)?.object);
        expect(eventTexts(events.slice(0, -1)).toSorted()).toEqual(['ADDED a', 'ADDED b']);
        expect(mark).toMatchObject({
          apiVersion: collection.apiVersion,
          kind,
          metadata: { annotations: { [endMark]: 'true' } },
        });
        expect(revisionOf(mark)).toBeGreaterThanOrEqual(revisionOf(newest));
        objectIn(await collection.post(collection.draft('c', { spec })), 201);
        expect(eventTexts(await nextEvents(watch, 1))).toEqual(['ADDED c']);
      }
    },
  },
  {
    rule: 'the bookmark also comes for an empty list',
    run: async ({ widgets }) => {
      const watch = await widgets.watch(initialEvents);
      const event = await watch.next();
      expect(event.type).toBe('BOOKMARK');
      expect(asObject(event.object).metadata.annotations).toEqual({ [endMark]: 'true' });
    },
  },
  {
    rule: 'a watch from the revision of the bookmark misses nothing and repeats nothing',
    run: async ({ widgets }) => {
      objectIn(await widgets.post(widgets.draft('a', { spec })), 201);
      const first = await widgets.watch(initialEvents);
      const events = await eventsUntil(first, ({ type }) => type === 'BOOKMARK');
      const { resourceVersion } = asObject(events.at(-1)?.object).metadata;
      await first.close();
      objectIn(await widgets.patch('a', { merge: { spec: { size: 2 } } }));
      const second = await widgets.watch({ resourceVersion });
      expect(eventTexts(await nextEvents(second, 1))).toEqual(['MODIFIED a']);
    },
  },
  {
    rule: 'initial events are filtered by the selector of the watch',
    run: async ({ widgets }) => {
      const metadata = { labels: { seen: 'yes' } };
      objectIn(await widgets.post(widgets.draft('a', { spec })), 201);
      objectIn(await widgets.post(widgets.draft('b', { metadata, spec })), 201);
      const watch = await widgets.watch({ ...initialEvents, labelSelector: 'seen=yes' });
      const events = await eventsUntil(watch, ({ type }) => type === 'BOOKMARK');
      expect(eventTexts(events.slice(0, -1))).toEqual(['ADDED b']);
    },
  },
  {
    rule: 'initial events can start from a given revision',
    run: async ({ widgets }) => {
      const { resourceVersion } = objectIn(await widgets.post(widgets.draft('a', { spec })), 201).metadata;
      const watch = await widgets.watch({ ...initialEvents, resourceVersion });
      const events = await eventsUntil(watch, ({ type }) => type === 'BOOKMARK');
      expect(eventTexts(events.slice(0, -1))).toEqual(['ADDED a']);
      expect(revisionOf(asObject(events.at(-1)?.object))).toBeGreaterThanOrEqual(BigInt(resourceVersion));
    },
  },
  {
    rule: 'sendInitialEvents without resourceVersionMatch NotOlderThan is 422',
    run: async ({ widgets, target }) => {
      for (const query of [
        { watch: 'true', sendInitialEvents: 'true' },
        { watch: 'true', sendInitialEvents: 'true', resourceVersionMatch: 'Exact' },
      ]) {
        const refused = await target.request({ method: 'GET', path: widgets.path(), query });
        expectFailure(refused, { code: 422, reason: 'Invalid', fields: ['resourceVersionMatch'] });
      }
    },
  },
  {
    rule: 'sendInitialEvents on a list is 422',
    run: async ({ widgets }) => {
      expectFailure(await widgets.list({ sendInitialEvents: 'true' }), {
        code: 422,
        reason: 'Invalid',
        fields: ['sendInitialEvents'],
      });
    },
  },
  {
    rule: 'resourceVersionMatch on a watch without sendInitialEvents is 422',
    run: async ({ widgets, target }) => {
      const query = { watch: 'true', resourceVersion: '1', resourceVersionMatch: 'NotOlderThan' };
      const refused = await target.request({ method: 'GET', path: widgets.path(), query });
      expectFailure(refused, { code: 422, reason: 'Invalid', fields: ['resourceVersionMatch'] });
    },
  },
  {
    rule: 'a watch with bookmarks gets one before its timeout, with its present revision and nothing else',
    run: async ({ widgets }) => {
      const { resourceVersion } = objectIn(await widgets.post(widgets.draft('a', { spec })), 201).metadata;
      const watch = await widgets.watch({
        resourceVersion,
        fieldSelector: 'metadata.name=a',
        allowWatchBookmarks: 'true',
        timeoutSeconds: '4',
      });
      const unseen = objectIn(await widgets.post(widgets.draft('b', { spec })), 201);
      const event = await watch.next();
      expect(event).toEqual({
        type: 'BOOKMARK',
        object: {
          apiVersion: 'contract.muster.dev/v1',
          kind: 'Widget',
          metadata: { resourceVersion: expect.stringMatching(/^[1-9][0-9]*$/) },
        },
      });
      expect(revisionOf(asObject(event.object))).toBeGreaterThanOrEqual(revisionOf(unseen));
    },
  },
  {
    rule: 'a watch without bookmarks gets none',
    run: async ({ widgets }) => {
      const { resourceVersion } = objectIn(await widgets.post(widgets.draft('a', { spec })), 201).metadata;
      const watch = await widgets.watch({
        resourceVersion,
        fieldSelector: 'metadata.name=a',
        timeoutSeconds: '4',
      });
      objectIn(await widgets.post(widgets.draft('b', { spec })), 201);
      objectIn(await widgets.patch('a', { merge: { spec: { size: 2 } } }));
      expect(eventTexts(await nextEvents(watch, 1))).toEqual(['MODIFIED a']);
      await watch.ended();
      await expect(watch.next()).rejects.toThrow('ended');
    },
  },
];
