/** Optimistic concurrency: which write may overwrite which state. */
import { expect } from 'vitest';
import type { Case } from '../case.ts';
import { expectFailure } from '../failure.ts';
import { objectIn, revisionOf } from '../kube-object.ts';

const spec = { size: 1 };
const conflict = { code: 409, reason: 'Conflict' };

export const concurrencyCases: readonly Case[] = [
  {
    rule: 'an update with an outdated revision is 409 Conflict and changes nothing',
    run: async ({ widgets, configMaps }) => {
      const first = objectIn(await widgets.post(widgets.draft('a', { spec })), 201);
      const second = objectIn(await widgets.put('a', { ...first, spec: { size: 2 } }));
      expectFailure(await widgets.put('a', { ...first, spec: { size: 3 } }), conflict);
      expect(objectIn(await widgets.get('a'))).toEqual(second);
      const map = objectIn(await configMaps.post(configMaps.draft('a')), 201);
      objectIn(await configMaps.put('a', { ...map, data: { x: '1' } }));
      expectFailure(await configMaps.put('a', { ...map, data: { x: '2' } }), conflict);
    },
  },
  {
    rule: 'an outdated revision is a conflict even where the update would change nothing',
    run: async ({ widgets }) => {
      const first = objectIn(await widgets.post(widgets.draft('a', { spec })), 201);
      const second = objectIn(await widgets.put('a', { ...first, spec: { size: 2 } }));
      const { resourceVersion } = first.metadata;
      const same = { ...second, metadata: { ...second.metadata, resourceVersion } };
      expectFailure(await widgets.put('a', same), conflict);
    },
  },
  {
    rule: 'an update of a custom resource without a revision is 422 for metadata.resourceVersion',
    run: async ({ widgets }) => {
      objectIn(await widgets.post(widgets.draft('a', { spec })), 201);
      const refused = await widgets.put('a', widgets.draft('a', { spec: { size: 2 } }));
      expectFailure(refused, { code: 422, reason: 'Invalid', fields: ['metadata.resourceVersion'] });
    },
  },
  {
    rule: 'an update of a CRD without a revision is 422 for metadata.resourceVersion',
    run: async ({ crds }) => {
      const name = 'zones.contract.muster.dev';
      const { spec: stored } = objectIn(await crds.get(name));
      const refused = await crds.put(name, crds.draft(name, { spec: stored }));
      expectFailure(refused, { code: 422, reason: 'Invalid', fields: ['metadata.resourceVersion'] });
    },
  },
  {
    rule: 'an update of a ConfigMap or Secret without a revision overwrites the stored object',
    run: async ({ configMaps, secrets }) => {
      for (const collection of [configMaps, secrets]) {
        const first = objectIn(await collection.post(collection.draft('a')), 201);
        const data = { x: 'MQ==' };
        const second = objectIn(await collection.put('a', collection.draft('a', { data })));
        expect(second).toMatchObject({ data, metadata: { uid: first.metadata.uid } });
        expect(revisionOf(second)).toBeGreaterThan(revisionOf(first));
      }
    },
  },
  {
    rule: 'an update with the uid of another object is 409 Conflict',
    run: async ({ widgets, configMaps }) => {
      const uid = '11111111-2222-4333-8444-555555555555';
      const widget = objectIn(await widgets.post(widgets.draft('a', { spec })), 201);
      const other = { ...widget.metadata, uid };
      expectFailure(await widgets.put('a', { ...widget, metadata: other }), conflict);
      objectIn(await configMaps.post(configMaps.draft('a')), 201);
      expectFailure(await configMaps.put('a', configMaps.draft('a', { metadata: { uid } })), conflict);
    },
  },
  {
    rule: 'patches without a revision all succeed beside other writers',
    run: async ({ configMaps }) => {
      objectIn(await configMaps.post(configMaps.draft('a')), 201);
      const keys = ['p', 'q', 'r', 's', 't', 'u'];
      const answers = await Promise.all(
        keys.map((key) => configMaps.patch('a', { merge: { data: { [key]: 'x' } } })),
      );
      expect(answers.map(({ status }) => status)).toEqual(keys.map(() => 200));
      const data = Object.fromEntries(keys.map((key) => [key, 'x']));
      expect(objectIn(await configMaps.get('a')).data).toEqual(data);
    },
  },
  {
    rule: 'a patch that names an outdated revision is 409 Conflict',
    run: async ({ widgets, configMaps }) => {
      const { resourceVersion } = objectIn(await widgets.post(widgets.draft('a', { spec })), 201).metadata;
      objectIn(await widgets.patch('a', { merge: { spec: { size: 2 } } }));
      const merge = { metadata: { resourceVersion }, spec: { size: 3 } };
      expectFailure(await widgets.patch('a', { merge }), conflict);
      const map = objectIn(await configMaps.post(configMaps.draft('a')), 201);
      objectIn(await configMaps.patch('a', { merge: { data: { x: '1' } } }));
      const late = { metadata: { resourceVersion: map.metadata.resourceVersion }, data: { x: '2' } };
      expectFailure(await configMaps.patch('a', { merge: late }), conflict);
    },
  },
  {
    rule: 'a patch with the current revision succeeds',
    run: async ({ widgets }) => {
      const { resourceVersion } = objectIn(await widgets.post(widgets.draft('a', { spec })), 201).metadata;
      const merge = { metadata: { resourceVersion }, spec: { size: 3 } };
      expect(objectIn(await widgets.patch('a', { merge })).spec).toMatchObject({ size: 3 });
    },
  },
  {
    rule: 'revisions of all resources come from one counter',
    run: async ({ widgets, configMaps, zones, suffix }) => {
      const revisions = [
        objectIn(await widgets.post(widgets.draft('a', { spec })), 201),
        objectIn(await configMaps.post(configMaps.draft('a')), 201),
        objectIn(await zones.post(zones.draft(`z-${suffix}`)), 201),
        objectIn(await widgets.patch('a', { merge: { spec: { size: 2 } } })),
      ].map(revisionOf);
      expect(revisions).toEqual(revisions.toSorted((a, b) => (a < b ? -1 : 1)));
      expect(new Set(revisions).size).toBe(4);
    },
  },
];
