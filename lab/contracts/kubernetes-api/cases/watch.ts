/** Watches: their start, their events and their end. */
import { expect } from 'vitest';
import type { Case } from '../case.ts';
import { expectFailureStatus } from '../failure.ts';
import { asObject, listIn, objectIn, revisionOf } from '../kube-object.ts';
import { eventsUntil, nextEvents, eventTexts } from '../watching.ts';

const spec = { size: 1 };

export const watchCases: readonly Case[] = [
  {
    rule: 'a watch from a revision sends all later changes, in order and once',
    run: async ({ widgets }) => {
      objectIn(await widgets.post(widgets.draft('before', { spec })), 201);
      const { resourceVersion } = objectIn(await widgets.post(widgets.draft('a', { spec })), 201).metadata;
      const written = [
        objectIn(await widgets.patch('a', { merge: { spec: { size: 2 } } })),
        objectIn(await widgets.post(widgets.draft('b', { spec })), 201),
        objectIn(await widgets.patch('a', { merge: { spec: { size: 3 } } })),
      ];
      const events = await nextEvents(await widgets.watch({ resourceVersion }), 3);
      expect(eventTexts(events)).toEqual(['MODIFIED a', 'ADDED b', 'MODIFIED a']);
      expect(events.map(({ object }) => object)).toEqual(written);
    },
  },
  {
    rule: 'a watch from the revision of a list continues where the list ends',
    run: async ({ secrets }) => {
      objectIn(await secrets.post(secrets.draft('a')), 201);
      const { resourceVersion } = listIn(await secrets.list()).metadata;
      const watch = await secrets.watch({ resourceVersion });
      objectIn(await secrets.post(secrets.draft('b')), 201);
      expect(eventTexts(await nextEvents(watch, 1))).toEqual(['ADDED b']);
    },
  },
  {
    rule: 'a watch without a revision begins with ADDED for each existing object, in any order, and continues',
    run: async ({ widgets }) => {
      for (const name of ['a', 'b']) objectIn(await widgets.post(widgets.draft(name, { spec })), 201);
      const watch = await widgets.watch();
      expect(eventTexts(await nextEvents(watch, 2)).toSorted()).toEqual(['ADDED a', 'ADDED b']);
      objectIn(await widgets.patch('b', { merge: { spec: { size: 2 } } }));
      expect(eventTexts(await nextEvents(watch, 1))).toEqual(['MODIFIED b']);
    },
  },
  {
    rule: 'a watch from revision 0 begins like one without a revision',
    run: async ({ widgets }) => {
      const watch = await widgets.watch({ resourceVersion: '0' });
      objectIn(await widgets.post(widgets.draft('a', { spec })), 201);
      expect(eventTexts(await nextEvents(watch, 1))).toEqual(['ADDED a']);
      const second = await widgets.watch({ resourceVersion: '0' });
      expect(eventTexts(await nextEvents(second, 1))).toEqual(['ADDED a']);
    },
  },
  {
    rule: 'the objects of events have kind and apiVersion, also for builtins',
    run: async ({ secrets, widgets }) => {
      const secret = objectIn(await secrets.post(secrets.draft('a')), 201);
      const widget = objectIn(await widgets.post(widgets.draft('a', { spec })), 201);
      const events = [
        ...(await nextEvents(await secrets.watch(), 1)),
        ...(await nextEvents(await widgets.watch(), 1)),
      ];
      expect(events.map(({ object }) => object)).toEqual([secret, widget]);
    },
  },
  {
    rule: 'DELETED has the last state under a new revision',
    run: async ({ widgets }) => {
      const last = objectIn(await widgets.post(widgets.draft('a', { spec })), 201);
      const watch = await widgets.watch({ resourceVersion: last.metadata.resourceVersion });
      expect(await widgets.delete('a')).toMatchObject({ status: 200 });
      const [event] = await nextEvents(watch, 1);
      const gone = asObject(event?.object);
      const { resourceVersion } = gone.metadata;
      expect(event?.type).toBe('DELETED');
      expect(gone).toEqual({ ...last, metadata: { ...last.metadata, resourceVersion } });
      expect(revisionOf(gone)).toBeGreaterThan(revisionOf(last));
    },
  },
  {
    rule: 'an object that begins to match the selector of a watch is ADDED, and an object that ceases to match is DELETED',
    run: async ({ widgets }) => {
      const { resourceVersion } = listIn(await widgets.list()).metadata;
      const watch = await widgets.watch({ resourceVersion, labelSelector: 'seen=yes' });
      objectIn(await widgets.post(widgets.draft('other', { spec })), 201);
      objectIn(await widgets.post(widgets.draft('a', { spec })), 201);
      objectIn(await widgets.patch('a', { merge: { metadata: { labels: { seen: 'yes' } } } }));
      const inside = objectIn(await widgets.patch('a', { merge: { spec: { size: 2 } } }));
      const outside = objectIn(await widgets.patch('a', { merge: { metadata: { labels: { seen: 'no' } } } }));
      objectIn(await widgets.patch('a', { merge: { spec: { size: 3 } } }));
      objectIn(await widgets.patch('other', { merge: { metadata: { labels: { seen: 'yes' } } } }));
      const events = await nextEvents(watch, 4);
      expect(eventTexts(events)).toEqual(['ADDED a', 'MODIFIED a', 'DELETED a', 'ADDED other']);
      const left = asObject(events[2]?.object);
      expect(left.metadata.labels).toEqual(inside.metadata.labels);
      expect(left.metadata.resourceVersion).toBe(outside.metadata.resourceVersion);
    },
  },
  {
    rule: 'a watch of one name sends no event of another',
    run: async ({ widgets }) => {
      const watch = await widgets.watch({ fieldSelector: 'metadata.name=b' });
      for (const name of ['a', 'b', 'c']) objectIn(await widgets.post(widgets.draft(name, { spec })), 201);
      expect(await widgets.delete('b')).toMatchObject({ status: 200 });
      expect(eventTexts(await nextEvents(watch, 2))).toEqual(['ADDED b', 'DELETED b']);
    },
  },
  {
    rule: 'a watch without a namespace in its path covers all namespaces',
    run: async ({ widgets, target, suffix, namespace }) => {
      const labelSelector = `watch=${suffix}`;
      const watch = await target.watch('/apis/contract.muster.dev/v1/widgets', { labelSelector });
      const draft = widgets.draft('a', { metadata: { labels: { watch: suffix } }, spec });
      objectIn(await widgets.post(draft), 201);
      const [event] = await nextEvents(watch, 1);
      expect(asObject(event?.object).metadata).toMatchObject({ namespace, name: 'a' });
    },
  },
  {
    rule: 'a watch from a compacted revision is accepted, sends ERROR with 410 Expired and ends',
    needs: ['forgottenHistory'],
    run: async ({ widgets }) => {
      const watch = await widgets.watch({ resourceVersion: '1' });
      const event = await watch.next();
      expect(event.type).toBe('ERROR');
      expectFailureStatus(event.object, { code: 410, reason: 'Expired' });
      await watch.ended();
    },
  },
  {
    rule: 'a watch from a revision that is not a number is refused with 500',
    run: async ({ widgets, target }) => {
      const query = { watch: 'true', resourceVersion: 'soon' };
      const refused = await target.request({ method: 'GET', path: widgets.path(), query });
      expect(refused).toMatchObject({ status: 500, body: { kind: 'Status', status: 'Failure', code: 500 } });
    },
  },
  {
    rule: 'a watch ends cleanly after its timeoutSeconds',
    run: async ({ widgets }) => {
      objectIn(await widgets.post(widgets.draft('a', { spec })), 201);
      const watch = await widgets.watch({ timeoutSeconds: '1' });
      expect(eventTexts(await nextEvents(watch, 1))).toEqual(['ADDED a']);
      await watch.ended();
      await expect(watch.next()).rejects.toThrow('ended');
    },
  },
  {
    rule: 'two watches of one resource send the same events',
    run: async ({ widgets }) => {
      const watches = [await widgets.watch(), await widgets.watch()];
      objectIn(await widgets.post(widgets.draft('a', { spec })), 201);
      expect(await widgets.delete('a')).toMatchObject({ status: 200 });
      const [one, other] = await Promise.all(
        watches.map((watch) => eventsUntil(watch, ({ type }) => type === 'DELETED')),
      );
      expect(eventTexts(one ?? [])).toEqual(['ADDED a', 'DELETED a']);
      expect(other).toEqual(one);
    },
  },
  {
    rule: 'a change of the status is MODIFIED for every watch',
    run: async ({ widgets }) => {
      const { resourceVersion } = objectIn(await widgets.post(widgets.draft('a', { spec })), 201).metadata;
      const watch = await widgets.watch({ resourceVersion });
      const merge = { status: { phase: 'Up' } };
      const patched = objectIn(await widgets.patch('a', { merge }, { subresource: 'status' }));
      expect(await watch.next()).toEqual({ type: 'MODIFIED', object: patched });
    },
  },
];
