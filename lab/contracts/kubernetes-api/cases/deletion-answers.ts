/** What a deletion answers, and what it does not change. */
import { expect } from 'vitest';
import type { Case } from '../case.ts';
import { expectFailure } from '../failure.ts';
import { asObject, objectIn } from '../kube-object.ts';

const finalizers = ['example.com/hold'];

export const deletionAnswersCases: readonly Case[] = [
  {
    rule: 'a pending deletion with the old option orphanDependents=false is 202',
    run: async ({ gadgets }) => {
      objectIn(await gadgets.post(gadgets.draft('a', { metadata: { finalizers } })), 201);
      expect(await gadgets.delete('a', { options: { orphanDependents: false } })).toMatchObject({
        status: 202,
      });
      expect(await gadgets.delete('a')).toMatchObject({ status: 200 });
    },
  },
  {
    rule: 'without a policy the propagation finalizers stay',
    run: async ({ gadgets }) => {
      const held = [...finalizers, 'foregroundDeletion'];
      objectIn(await gadgets.post(gadgets.draft('a', { metadata: { finalizers: held } })), 201);
      const { metadata } = objectIn(await gadgets.delete('a'));
      expect(metadata.finalizers?.toSorted()).toEqual(held.toSorted());
      const options = { propagationPolicy: 'Background' };
      expect(objectIn(await gadgets.delete('a', { options })).metadata.finalizers).toEqual(finalizers);
    },
  },
  {
    rule: 'the answer to a write that removes the last finalizer has the revision from before the removal of the object',
    run: async ({ gadgets, configMaps }) => {
      for (const objects of [gadgets, configMaps]) {
        objectIn(await objects.post(objects.draft('a', { metadata: { finalizers } })), 201);
        const { metadata } = objectIn(await objects.delete('a'));
        const last = objectIn(await objects.patch('a', { merge: { metadata: { finalizers: null } } }));
        expect(last.metadata.resourceVersion).toBe(metadata.resourceVersion);
        expectFailure(await objects.get('a'), { code: 404, reason: 'NotFound' });
      }
    },
  },
  {
    rule: 'the DELETED event of an object shows its state before the last finalizer was removed',
    run: async ({ gadgets, configMaps }) => {
      for (const objects of [gadgets, configMaps]) {
        objectIn(await objects.post(objects.draft('a', { metadata: { finalizers } })), 201);
        const { metadata } = objectIn(await objects.delete('a'));
        const watch = await objects.watch({ resourceVersion: metadata.resourceVersion });
        objectIn(
          await objects.patch('a', { merge: { metadata: { finalizers: null, labels: { app: 'x' } } } }),
        );
        const { type, object } = await watch.next();
        expect(type).toBe('DELETED');
        expect(asObject(object).metadata.finalizers).toEqual(finalizers);
        expect(asObject(object).metadata).not.toHaveProperty('labels');
      }
    },
  },
  {
    rule: 'namespaces cannot be deleted as a collection; deleting one has no grace period and no new generation',
    run: async ({ namespaces, suffix }) => {
      const query = { fieldSelector: `metadata.name=none-${suffix}` };
      expectFailure(await namespaces.deleteAll(query), { code: 405, reason: 'MethodNotAllowed' });
      const name = `graceless-${suffix}`;
      objectIn(
        await namespaces.post(namespaces.draft(name, { metadata: { name, finalizers, generation: 7 } })),
        201,
      );
      const { metadata } = objectIn(await namespaces.delete(name));
      expect(metadata.generation).toBe(7);
      expect(metadata).toHaveProperty('deletionTimestamp');
      expect(metadata).not.toHaveProperty('deletionGracePeriodSeconds');
      objectIn(await namespaces.patch(name, { merge: { metadata: { finalizers: null } } }));
    },
  },
  {
    rule: 'defaults of the server in a new namespace have no field manager',
    run: async ({ namespaces, suffix }) => {
      const name = `owned-${suffix}`;
      const { metadata, spec } = objectIn(await namespaces.post(namespaces.draft(name)), 201);
      expect(spec).toEqual({ finalizers: ['kubernetes'] });
      expect(metadata.managedFields).toMatchObject([
        { fieldsV1: { 'f:metadata': { 'f:labels': { '.': {}, 'f:kubernetes.io/metadata.name': {} } } } },
      ]);
      expect(metadata.managedFields?.[0]?.fieldsV1).not.toHaveProperty('f:spec');
    },
  },
  {
    rule: 'a write of a namespace cannot change its finalizers in spec, and a write of its status may change metadata',
    run: async ({ namespaces, suffix }) => {
      const name = `held-${suffix}`;
      objectIn(await namespaces.post(namespaces.draft(name)), 201);
      const merge = { spec: { finalizers: [] } };
      expect(objectIn(await namespaces.patch(name, { merge }))['spec']).toEqual({
        finalizers: ['kubernetes'],
      });
      const labelled = { merge: { metadata: { labels: { app: 'x' } } } };
      const after = objectIn(await namespaces.patch(name, labelled, { subresource: 'status' }));
      expect(after.metadata.labels).toMatchObject({ app: 'x' });
      const ended = { merge: { status: { phase: 'Terminating' } } };
      expectFailure(await namespaces.patch(name, ended, { subresource: 'status' }), {
        code: 422,
        reason: 'Invalid',
        fields: ['status.Phase'],
      });
    },
  },
  {
    rule: 'a JSON patch into a string is 422, as is an operation without op and path',
    run: async ({ gadgets }) => {
      objectIn(await gadgets.post(gadgets.draft('a', { metadata: { labels: { app: 'x' } } })), 201);
      const invalid = { code: 422, reason: 'Invalid' };
      const inText = { json: [{ op: 'add', path: '/metadata/labels/app/deep', value: 'x' }] };
      expectFailure(await gadgets.patch('a', inText), invalid);
      expectFailure(await gadgets.patch('a', { json: [{}] }), invalid);
      objectIn(await gadgets.patch('a', { json: null }));
    },
  },
];
