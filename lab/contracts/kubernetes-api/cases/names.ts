/** Names, and how the server generates names. */
import { expect } from 'vitest';
import type { Case } from '../case.ts';
import { expectFailure } from '../failure.ts';
import { objectIn } from '../kube-object.ts';

const spec = { size: 1 };
const invalidName = { code: 422, reason: 'Invalid', fields: ['metadata.name'] };

export const namesCases: readonly Case[] = [
  {
    rule: 'generateName makes a name of the base and five characters without vowels',
    run: async ({ widgets, configMaps }) => {
      for (const [collection, fields] of [
        [widgets, { spec }],
        [configMaps, {}],
      ] as const) {
        const body = {
          apiVersion: collection.apiVersion,
          kind: collection.resource.kind,
          metadata: { generateName: 'base-' },
          ...fields,
        };
        const first = objectIn(await collection.post(body), 201).metadata;
        const second = objectIn(await collection.post(body), 201).metadata;
        expect(first).toMatchObject({
          generateName: 'base-',
          name: expect.stringMatching(/^base-[bcdfghjklmnpqrstvwxz2456789]{5}$/),
        });
        expect(second.name).not.toBe(first.name);
      }
    },
  },
  {
    rule: 'a name takes precedence over generateName',
    run: async ({ widgets }) => {
      const draft = widgets.draft('a', { metadata: { generateName: 'base-' }, spec });
      expect(objectIn(await widgets.post(draft), 201).metadata).toMatchObject({
        name: 'a',
        generateName: 'base-',
      });
    },
  },
  {
    rule: 'generateName cuts a long base so that the name has 63 characters',
    run: async ({ configMaps }) => {
      const base = 'b'.repeat(80);
      const created = objectIn(
        await configMaps.post({ apiVersion: 'v1', kind: 'ConfigMap', metadata: { generateName: base } }),
        201,
      );
      expect(created.metadata.name).toMatch(/^b{58}[bcdfghjklmnpqrstvwxz2456789]{5}$/);
    },
  },
  {
    rule: 'an object without name and generateName is 422 for metadata.name',
    run: async ({ widgets, configMaps }) => {
      const body = { apiVersion: widgets.apiVersion, kind: 'Widget', metadata: {}, spec };
      expectFailure(await widgets.post(body), invalidName);
      expectFailure(await configMaps.post({ apiVersion: 'v1', kind: 'ConfigMap' }), invalidName);
    },
  },
  {
    rule: 'a name that is not a DNS subdomain is 422 for metadata.name',
    run: async ({ widgets, configMaps }) => {
      for (const name of ['Upper', 'under_score', 'dot.', '-dash', 'x'.repeat(254)]) {
        expectFailure(await widgets.post(widgets.draft(name, { spec })), invalidName);
        expectFailure(await configMaps.post(configMaps.draft(name)), invalidName);
      }
    },
  },
  {
    rule: 'a name may have 253 characters and dots',
    run: async ({ configMaps }) => {
      const name = `a.${'x'.repeat(251)}`;
      expect(objectIn(await configMaps.post(configMaps.draft(name)), 201).metadata.name).toBe(name);
    },
  },
  {
    rule: 'the name of a namespace is a DNS label',
    run: async ({ namespaces, suffix }) => {
      const refused = await namespaces.post(namespaces.draft(`dotted.${suffix}`));
      expectFailure(refused, invalidName);
      // The label that carries the name has the same limit.
      expectFailure(await namespaces.post(namespaces.draft(`n${suffix}-${'x'.repeat(60)}`)), {
        ...invalidName,
        fields: ['metadata.labels', 'metadata.name'],
      });
    },
  },
  {
    rule: 'the same name may be used in two namespaces and by two resources',
    run: async ({ widgets, gadgets, of, namespaces, suffix }) => {
      objectIn(await namespaces.post(namespaces.draft(`other-${suffix}`)), 201);
      const elsewhere = of(widgets.resource, `other-${suffix}`);
      const created = [
        objectIn(await widgets.post(widgets.draft('a', { spec })), 201),
        objectIn(await elsewhere.post(elsewhere.draft('a', { spec })), 201),
        objectIn(await gadgets.post(gadgets.draft('a', { spec })), 201),
      ];
      expect(new Set(created.map(({ metadata }) => metadata.uid)).size).toBe(3);
    },
  },
];
