/** The status subresource separates the fields of the author from the fields of the controller. */
import { expect } from 'vitest';
import type { Case } from '../case.ts';
import { expectFailure } from '../failure.ts';
import { objectIn, revisionOf } from '../kube-object.ts';

const spec = { size: 1 };
const onStatus = { subresource: 'status' };

export const statusSubresourceCases: readonly Case[] = [
  {
    rule: 'a create drops the status where there is a status subresource',
    run: async ({ widgets }) => {
      const created = objectIn(
        await widgets.post(widgets.draft('a', { spec, status: { phase: 'Up' } })),
        201,
      );
      expect(created).not.toHaveProperty('status');
    },
  },
  {
    rule: 'an update or patch of the object keeps the status',
    run: async ({ widgets }) => {
      objectIn(await widgets.post(widgets.draft('a', { spec })), 201);
      const status = { phase: 'Up' };
      const up = objectIn(await widgets.patch('a', { merge: { status } }, onStatus));
      const put = objectIn(await widgets.put('a', { ...up, spec: { size: 2 }, status: { phase: 'Down' } }));
      expect(put).toMatchObject({ status, spec: { size: 2 } });
      const merge = { spec: { size: 3 }, status: { phase: 'Down' } };
      expect(objectIn(await widgets.patch('a', { merge }))).toMatchObject({ status, spec: { size: 3 } });
    },
  },
  {
    rule: 'an update of the status changes the status alone',
    run: async ({ widgets }) => {
      const metadata = { labels: { a: '1' }, annotations: { b: '2' } };
      const created = objectIn(await widgets.post(widgets.draft('a', { metadata, spec })), 201);
      const body = {
        ...created,
        metadata: {
          ...created.metadata,
          labels: { a: 'changed' },
          annotations: { b: 'changed' },
          finalizers: ['contract.muster.dev/hold'],
        },
        spec: { size: 9 },
        status: { phase: 'Up' },
      };
      const updated = objectIn(await widgets.put('a', body, onStatus));
      expect(updated).toMatchObject({ spec: { size: 1 }, status: { phase: 'Up' }, metadata });
      expect(updated.metadata).not.toHaveProperty('finalizers');
      expect(revisionOf(updated)).toBeGreaterThan(revisionOf(created));
    },
  },
  {
    rule: 'a patch of the status changes the status alone',
    run: async ({ widgets }) => {
      objectIn(await widgets.post(widgets.draft('a', { spec })), 201);
      const merge = { metadata: { labels: { a: '1' } }, spec: { size: 9 }, status: { phase: 'Up' } };
      const patched = objectIn(await widgets.patch('a', { merge }, onStatus));
      expect(patched).toMatchObject({ spec: { size: 1 }, status: { phase: 'Up' } });
      expect(patched.metadata).not.toHaveProperty('labels');
    },
  },
  {
    rule: 'a read of the status returns the whole object',
    run: async ({ widgets, target }) => {
      const created = objectIn(await widgets.post(widgets.draft('a', { spec })), 201);
      expect(objectIn(await target.request({ method: 'GET', path: widgets.path('a', 'status') }))).toEqual(
        created,
      );
    },
  },
  {
    rule: 'an update of the status with an outdated revision is 409 Conflict',
    run: async ({ widgets }) => {
      const created = objectIn(await widgets.post(widgets.draft('a', { spec })), 201);
      objectIn(await widgets.patch('a', { merge: { spec: { size: 2 } } }));
      const refused = await widgets.put('a', { ...created, status: { phase: 'Up' } }, onStatus);
      expectFailure(refused, { code: 409, reason: 'Conflict' });
    },
  },
  {
    rule: 'an update of the status of a custom resource without a revision is 422',
    run: async ({ widgets }) => {
      objectIn(await widgets.post(widgets.draft('a', { spec })), 201);
      const draft = widgets.draft('a', { spec, status: { phase: 'Up' } });
      expectFailure(await widgets.put('a', draft, onStatus), {
        code: 422,
        reason: 'Invalid',
        fields: ['metadata.resourceVersion'],
      });
    },
  },
  {
    rule: 'the schema is checked on an update of the status',
    run: async ({ widgets }) => {
      objectIn(await widgets.post(widgets.draft('a', { spec })), 201);
      const refused = await widgets.patch('a', { merge: { status: { phase: 5 } } }, onStatus);
      expectFailure(refused, { code: 422, reason: 'Invalid', fields: ['status.phase'] });
    },
  },
  {
    rule: 'rules in CEL about the whole object are checked on an update of the status',
    run: async ({ widgets }) => {
      objectIn(await widgets.post(widgets.draft('a', { spec: { size: 3 } })), 201);
      const grown = objectIn(await widgets.patch('a', { merge: { status: { grown: 3 } } }, onStatus));
      expect(grown.status).toEqual({ grown: 3 });
      const refused = await widgets.patch('a', { merge: { status: { grown: 4 } } }, onStatus);
      expectFailure(refused, { code: 422, reason: 'Invalid', fields: ['status.grown'] });
    },
  },
  {
    rule: 'a status update without a status clears the status',
    run: async ({ widgets }) => {
      objectIn(await widgets.post(widgets.draft('a', { spec })), 201);
      const up = objectIn(await widgets.patch('a', { merge: { status: { phase: 'Up' } } }, onStatus));
      const { status, ...bare } = up;
      expect(status).toEqual({ phase: 'Up' });
      expect(objectIn(await widgets.put('a', bare, onStatus))).not.toHaveProperty('status');
    },
  },
  {
    rule: 'a resource without a status subresource answers 404 under status',
    run: async ({ gadgets, configMaps }) => {
      objectIn(await gadgets.post(gadgets.draft('a', { spec })), 201);
      objectIn(await configMaps.post(configMaps.draft('a')), 201);
      const merge = { status: { phase: 'Up' } };
      expect(await gadgets.patch('a', { merge }, onStatus)).toMatchObject({ status: 404 });
      expect(await configMaps.patch('a', { merge }, onStatus)).toMatchObject({ status: 404 });
    },
  },
  {
    rule: 'the status of a missing object is 404',
    run: async ({ widgets }) => {
      const refused = await widgets.patch('a', { merge: { status: { phase: 'Up' } } }, onStatus);
      expectFailure(refused, { code: 404, reason: 'NotFound' });
    },
  },
  {
    rule: 'a Node keeps the status of its create, and its main update ignores status',
    run: async ({ nodes, suffix }) => {
      const status = { capacity: { cpu: '4' } };
      const name = `node-${suffix}`;
      const created = objectIn(await nodes.post(nodes.draft(name, { status })), 201);
      expect(created).toMatchObject({ status });
      const merge = { metadata: { labels: { a: '1' } }, status: { capacity: { cpu: '8' } } };
      const patched = objectIn(await nodes.patch(name, { merge }));
      expect(patched).toMatchObject({ status, metadata: { labels: { a: '1' } } });
    },
  },
  {
    rule: 'an error in a field that the status path ignores changes nothing, not even field ownership',
    run: async ({ widgets }) => {
      const created = objectIn(
        await widgets.post(widgets.draft('a', { spec: { size: 1, tags: ['b'] } })),
        201,
      );
      const json = [{ op: 'add', path: '/spec/tags/0', value: 'b' }];
      expect(objectIn(await widgets.patch('a', { json }, { subresource: 'status' }))).toEqual(created);
    },
  },
];
