/** Lists: their order, their revision and the shape of their items. */
import { expect } from 'vitest';
import type { Case } from '../case.ts';
import { expectFailure } from '../failure.ts';
import { listIn, namesIn, objectIn, revisionOf } from '../kube-object.ts';

const spec = { size: 1 };

export const listCases: readonly Case[] = [
  {
    rule: 'an empty list has an empty items array, and a revision',
    run: async ({ widgets, secrets }) => {
      for (const [collection, kind] of [
        [widgets, 'WidgetList'],
        [secrets, 'SecretList'],
      ] as const) {
        const list = listIn(await collection.list());
        expect(list).toEqual({
          apiVersion: collection.apiVersion,
          kind,
          metadata: expect.objectContaining({ resourceVersion: expect.stringMatching(/^[1-9][0-9]*$/) }),
          items: [],
        });
      }
    },
  },
  {
    rule: 'a list is ordered by name, not by time of creation',
    run: async ({ widgets }) => {
      for (const name of ['b', 'c', 'a', 'b-1', 'b.1']) {
        objectIn(await widgets.post(widgets.draft(name, { spec })), 201);
      }
      expect(namesIn(await widgets.list())).toEqual(['a', 'b', 'b-1', 'b.1', 'c']);
    },
  },
  {
    rule: 'the items of a list of a builtin have no kind and apiVersion, and otherwise equal a read',
    run: async ({ secrets }) => {
      const created = objectIn(await secrets.post(secrets.draft('a', { data: { x: 'MQ==' } })), 201);
      const { apiVersion, kind, ...bare } = created;
      expect([apiVersion, kind]).toEqual(['v1', 'Secret']);
      expect(listIn(await secrets.list()).items).toEqual([bare]);
    },
  },
  {
    rule: 'the items of a list of a custom resource have kind and apiVersion',
    run: async ({ widgets }) => {
      const created = objectIn(await widgets.post(widgets.draft('a', { spec })), 201);
      expect(listIn(await widgets.list()).items).toEqual([created]);
    },
  },
  {
    rule: 'the revision of a list is the revision of the whole store, not the highest of its items',
    run: async ({ widgets, secrets }) => {
      objectIn(await widgets.post(widgets.draft('a', { spec })), 201);
      const later = objectIn(await secrets.post(secrets.draft('a')), 201);
      const list = listIn(await widgets.list());
      expect(revisionOf(list)).toBeGreaterThanOrEqual(revisionOf(later));
    },
  },
  {
    rule: 'the revision of a list after a deletion is not below the deletion',
    run: async ({ widgets }) => {
      objectIn(await widgets.post(widgets.draft('a', { spec })), 201);
      const before = listIn(await widgets.list());
      expect(await widgets.delete('a')).toMatchObject({ status: 200 });
      const after = listIn(await widgets.list());
      expect(after.items).toEqual([]);
      expect(revisionOf(after)).toBeGreaterThan(revisionOf(before));
    },
  },
  {
    rule: 'a list without a namespace in its path has the objects of all namespaces',
    run: async ({ widgets, of, namespaces, target, namespace, suffix }) => {
      objectIn(await namespaces.post(namespaces.draft(`other-${suffix}`)), 201);
      const elsewhere = of(widgets.resource, `other-${suffix}`);
      const metadata = { labels: { list: suffix } };
      objectIn(await widgets.post(widgets.draft('a', { metadata, spec })), 201);
      objectIn(await elsewhere.post(elsewhere.draft('b', { metadata, spec })), 201);
      const everywhere = await target.request({
        method: 'GET',
        path: '/apis/contract.muster.dev/v1/widgets',
        query: { labelSelector: `list=${suffix}` },
      });
      const found = listIn(everywhere).items.map(({ metadata: { namespace: where, name } }) => [where, name]);
      expect(found).toEqual([
        [namespace, 'a'],
        [`other-${suffix}`, 'b'],
      ]);
    },
  },
  {
    rule: 'a list in a namespace that does not exist is empty',
    run: async ({ widgets, of, suffix }) => {
      expect(namesIn(await of(widgets.resource, `nowhere-${suffix}`).list())).toEqual([]);
    },
  },
  {
    rule: 'a list at a revision that is not a number is 400',
    run: async ({ widgets, secrets }) => {
      const refused = { code: 400, reason: 'BadRequest' };
      expectFailure(await widgets.list({ resourceVersion: 'soon' }), refused);
      expectFailure(await secrets.list({ resourceVersion: 'soon' }), refused);
    },
  },
  {
    rule: 'a list not older than a revision has all writes until then',
    run: async ({ widgets }) => {
      const { resourceVersion } = objectIn(await widgets.post(widgets.draft('a', { spec })), 201).metadata;
      const query = { resourceVersion, resourceVersionMatch: 'NotOlderThan' };
      const list = await widgets.list(query);
      expect(namesIn(list)).toEqual(['a']);
      expect(revisionOf(listIn(list))).toBeGreaterThanOrEqual(BigInt(resourceVersion));
    },
  },
  {
    rule: 'a list at exactly a revision shows the state of that revision',
    run: async ({ widgets }) => {
      const { resourceVersion } = objectIn(await widgets.post(widgets.draft('a', { spec })), 201).metadata;
      objectIn(await widgets.post(widgets.draft('b', { spec })), 201);
      const list = listIn(await widgets.list({ resourceVersion, resourceVersionMatch: 'Exact' }));
      expect(list.items.map(({ metadata }) => metadata.name)).toEqual(['a']);
      expect(list.metadata.resourceVersion).toBe(resourceVersion);
    },
  },
  {
    rule: 'resourceVersionMatch without a revision, or one that is unknown, is 422',
    run: async ({ widgets }) => {
      const refused = { code: 422, reason: 'Invalid', fields: ['resourceVersionMatch'] };
      expectFailure(await widgets.list({ resourceVersionMatch: 'Exact' }), refused);
      expectFailure(await widgets.list({ resourceVersion: '1', resourceVersionMatch: 'Near' }), refused);
    },
  },
];
