/** Metadata is decoded like in typed clients, for every kind: types, nulls, empty values, unknown fields. */
import { expect } from 'vitest';
import type { Case } from '../case.ts';
import { expectFailure } from '../failure.ts';
import { objectIn } from '../kube-object.ts';

const badRequest = { code: 400, reason: 'BadRequest' };
const owner = { apiVersion: 'v1', kind: 'ConfigMap', name: 'a', uid: '1' };

export const typedMetadataCases: readonly Case[] = [
  {
    rule: 'metadata of the wrong type is 400, also inside an embedded resource',
    run: async ({ configMaps, gadgets, widgets }) => {
      const wrong = [
        { generation: '7' },
        { creationTimestamp: 'yesterday' },
        { finalizers: [7] },
        { managedFields: 'x' },
        { ownerReferences: [{ ...owner, controller: 'yes' }] },
      ];
      for (const metadata of wrong)
        for (const objects of [configMaps, gadgets])
          expectFailure(await objects.post(objects.draft('a', { metadata })), badRequest);
      const template = { apiVersion: 'v1', kind: 'Pod', metadata: { labels: { a: 1 } } };
      expectFailure(await widgets.post(widgets.draft('a', { spec: { size: 1, template } })), badRequest);
    },
  },
  {
    rule: 'a patch whose result cannot be decoded is 422 and names the patch alone',
    run: async ({ configMaps, gadgets }) => {
      for (const objects of [configMaps, gadgets]) {
        objectIn(await objects.post(objects.draft('a')), 201);
        const refused = await objects.patch('a', { merge: { metadata: { labels: { a: 1 } } } });
        expectFailure(refused, { code: 422, reason: 'Invalid', fields: ['patch'] });
        expect(refused.body).not.toHaveProperty('details.name');
      }
    },
  },
  {
    rule: 'unknown fields of an owner reference are dropped with a warning, and null counts as missing',
    run: async ({ gadgets, configMaps }) => {
      for (const objects of [configMaps, gadgets]) {
        const metadata = { ownerReferences: [{ ...owner, bogus: 1, controller: null }] };
        const created = await objects.post(objects.draft('a', { metadata }));
        expect(objectIn(created, 201).metadata['ownerReferences']).toEqual([owner]);
        expect(created.headers).toHaveProperty('warning');
      }
    },
  },
  {
    rule: 'a duplicate owner reference is kept once, with a warning',
    run: async ({ configMaps }) => {
      const created = await configMaps.post(
        configMaps.draft('a', { metadata: { ownerReferences: [owner, owner] } }),
      );
      expect(objectIn(created, 201).metadata['ownerReferences']).toEqual([owner]);
      expect(created.headers).toHaveProperty('warning');
    },
  },
  {
    rule: 'an owner needs a version, and an Event cannot be an owner',
    run: async ({ configMaps }) => {
      const draft = (more: object) =>
        configMaps.draft('a', { metadata: { ownerReferences: [{ ...owner, ...more }] } });
      const refused = { code: 422, reason: 'Invalid' };
      expectFailure(await configMaps.post(draft({ apiVersion: 'a/b/c' })), {
        ...refused,
        fields: ['metadata.ownerReferences.apiVersion'],
      });
      expectFailure(await configMaps.post(draft({ kind: 'Event' })), {
        ...refused,
        fields: ['metadata.ownerReferences'],
      });
    },
  },
  {
    rule: 'an empty string in metadata counts as missing, and a null in a string map is an empty string',
    run: async ({ gadgets, configMaps }) => {
      for (const objects of [configMaps, gadgets]) {
        const metadata = { generateName: '', labels: { app: null } };
        const created = objectIn(await objects.post(objects.draft('a', { metadata })), 201);
        expect(created.metadata).not.toHaveProperty('generateName');
        expect(created.metadata.labels).toEqual({ app: '' });
      }
    },
  },
  {
    rule: 'a kind without generations keeps a given generation, unless it is negative',
    run: async ({ configMaps }) => {
      const draft = (generation: number) => configMaps.draft('a', { metadata: { generation } });
      const refused = { code: 422, reason: 'Invalid', fields: ['metadata.generation'] };
      expectFailure(await configMaps.post(draft(-1)), refused);
      expect(objectIn(await configMaps.post(draft(7)), 201).metadata.generation).toBe(7);
    },
  },
  {
    rule: 'a cluster-scoped object drops a given namespace',
    run: async ({ zones, suffix }) => {
      const draft = zones.draft(`outside-${suffix}`, {
        metadata: { name: `outside-${suffix}`, namespace: 'x' },
      });
      expect(objectIn(await zones.post(draft), 201).metadata).not.toHaveProperty('namespace');
    },
  },
  {
    rule: 'in a built-in kind null is the empty value, and an empty list or map is dropped',
    run: async ({ configMaps, leases, serviceAccounts }) => {
      const map = objectIn(
        await configMaps.post(configMaps.draft('a', { data: { a: null }, binaryData: {} })),
        201,
      );
      expect(map['data']).toEqual({ a: '' });
      expect(map).not.toHaveProperty('binaryData');
      const lease = objectIn(await leases.post(leases.draft('a', { spec: { renewTime: null } })), 201);
      expect(lease['spec']).toEqual({});
      const account = objectIn(await serviceAccounts.post(serviceAccounts.draft('a', { secrets: [] })), 201);
      expect(account).not.toHaveProperty('secrets');
      expect(account.metadata).not.toHaveProperty('managedFields');
    },
  },
];
