/** What a delete answers, and its options. */
import { expect } from 'vitest';
import type { Case } from '../case.ts';
import { expectFailure } from '../failure.ts';
import { listIn, namesIn, objectIn } from '../kube-object.ts';

const spec = { size: 1 };
const missing = { code: 404, reason: 'NotFound' };
const conflict = { code: 409, reason: 'Conflict' };
const wrongUid = '11111111-2222-4333-8444-555555555555';

export const deleteCases: readonly Case[] = [
  {
    rule: 'an immediate delete answers Success with the uid of the object',
    run: async ({ widgets, configMaps }) => {
      const widget = objectIn(await widgets.post(widgets.draft('a', { spec })), 201);
      expect((await widgets.delete('a')).body).toMatchObject({
        kind: 'Status',
        status: 'Success',
        details: { name: 'a', group: 'contract.muster.dev', kind: 'widgets', uid: widget.metadata.uid },
      });
      expectFailure(await widgets.get('a'), missing);
      const map = objectIn(await configMaps.post(configMaps.draft('a')), 201);
      expect((await configMaps.delete('a')).body).toMatchObject({
        status: 'Success',
        details: { name: 'a', kind: 'configmaps', uid: map.metadata.uid },
      });
    },
  },
  {
    rule: 'a delete of a ServiceAccount answers with the object',
    run: async ({ serviceAccounts }) => {
      const { metadata } = objectIn(await serviceAccounts.post(serviceAccounts.draft('a')), 201);
      expect(objectIn(await serviceAccounts.delete('a'))).toMatchObject({
        kind: 'ServiceAccount',
        metadata: { name: 'a', uid: metadata.uid },
      });
      expectFailure(await serviceAccounts.get('a'), missing);
    },
  },
  {
    rule: 'a delete of a missing object is 404',
    run: async ({ widgets, configMaps }) => {
      expectFailure(await widgets.delete('a'), missing);
      expectFailure(await configMaps.delete('a'), missing);
    },
  },
  {
    rule: 'a delete with the uid of another object is 409 and deletes nothing',
    run: async ({ widgets, configMaps }) => {
      const options = { preconditions: { uid: wrongUid } };
      objectIn(await widgets.post(widgets.draft('a', { spec })), 201);
      expectFailure(await widgets.delete('a', { options }), conflict);
      objectIn(await widgets.get('a'));
      objectIn(await configMaps.post(configMaps.draft('a')), 201);
      expectFailure(await configMaps.delete('a', { options }), conflict);
      objectIn(await configMaps.get('a'));
    },
  },
  {
    rule: 'a delete with an outdated revision is 409, and with the current revision and uid succeeds',
    run: async ({ widgets }) => {
      const { uid, resourceVersion } = objectIn(
        await widgets.post(widgets.draft('a', { spec })),
        201,
      ).metadata;
      const patched = objectIn(await widgets.patch('a', { merge: { spec: { size: 2 } } }));
      const outdated = { preconditions: { uid, resourceVersion } };
      expectFailure(await widgets.delete('a', { options: outdated }), conflict);
      const current = { preconditions: { uid, resourceVersion: patched.metadata.resourceVersion } };
      expect(await widgets.delete('a', { options: current })).toMatchObject({ status: 200 });
      expectFailure(await widgets.get('a'), missing);
    },
  },
  {
    rule: 'delete options are also read from the query',
    run: async ({ widgets }) => {
      const held = { metadata: { finalizers: ['contract.muster.dev/hold'] }, spec };
      objectIn(await widgets.post(widgets.draft('a', held)), 201);
      const deleted = objectIn(await widgets.delete('a', { query: { propagationPolicy: 'Foreground' } }));
      expect(deleted.metadata.finalizers).toContain('foregroundDeletion');
    },
  },
  {
    rule: 'an unknown propagation policy is 422',
    run: async ({ widgets }) => {
      objectIn(await widgets.post(widgets.draft('a', { spec })), 201);
      const refused = await widgets.delete('a', { options: { propagationPolicy: 'Sideways' } });
      expectFailure(refused, { code: 422, reason: 'Invalid', fields: ['propagationPolicy'] });
      objectIn(await widgets.get('a'));
    },
  },
  {
    rule: 'orphanDependents and propagationPolicy exclude each other',
    run: async ({ widgets }) => {
      objectIn(await widgets.post(widgets.draft('a', { spec })), 201);
      const options = { propagationPolicy: 'Background', orphanDependents: false };
      const refused = await widgets.delete('a', { options });
      expectFailure(refused, { code: 422, reason: 'Invalid', fields: ['propagationPolicy'] });
    },
  },
  {
    rule: 'a grace period has no effect on an object without a kubelet',
    run: async ({ configMaps }) => {
      objectIn(await configMaps.post(configMaps.draft('a')), 201);
      const answer = await configMaps.delete('a', { options: { gracePeriodSeconds: 60 } });
      expect(answer.body).toMatchObject({ status: 'Success' });
      expectFailure(await configMaps.get('a'), missing);
    },
  },
  {
    rule: 'a delete of a collection deletes the selected objects and answers with the list',
    run: async ({ widgets }) => {
      for (const [name, label] of [
        ['a', 'x'],
        ['b', 'y'],
        ['c', 'x'],
      ] as const) {
        objectIn(await widgets.post(widgets.draft(name, { metadata: { labels: { label } }, spec })), 201);
      }
      const answer = await widgets.deleteAll({ labelSelector: 'label=x' });
      expect(listIn(answer).items.map(({ metadata }) => metadata.name)).toEqual(['a', 'c']);
      expect(namesIn(await widgets.list())).toEqual(['b']);
    },
  },
];
