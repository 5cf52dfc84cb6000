/** A PUT replaces the object; some PUTs are refused. */
import { expect } from 'vitest';
import type { Case } from '../case.ts';
import { expectFailure } from '../failure.ts';
import { objectIn, revisionOf } from '../kube-object.ts';

const spec = { size: 1 };

export const updateCases: readonly Case[] = [
  {
    rule: 'an update replaces the whole object: fields missing in the body are removed',
    run: async ({ widgets }) => {
      const draft = widgets.draft('a', {
        metadata: { labels: { a: '1', b: '2' }, annotations: { c: '3' } },
        spec: { size: 1, code: 'abc' },
      });
      const { resourceVersion } = objectIn(await widgets.post(draft), 201).metadata;
      const body = widgets.draft('a', {
        metadata: { resourceVersion, labels: { a: '1' } },
        spec: { size: 2 },
      });
      const updated = objectIn(await widgets.put('a', body));
      expect(updated.metadata.labels).toEqual({ a: '1' });
      expect(updated.metadata).not.toHaveProperty('annotations');
      expect(updated.spec).toMatchObject({ size: 2 });
      expect(updated.spec).not.toHaveProperty('code');
    },
  },
  {
    rule: 'an update answers with a higher revision, which a read then returns',
    run: async ({ configMaps }) => {
      const created = objectIn(await configMaps.post(configMaps.draft('a', { data: { x: '1' } })), 201);
      const updated = objectIn(await configMaps.put('a', { ...created, data: { x: '2' } }));
      expect(revisionOf(updated)).toBeGreaterThan(revisionOf(created));
      expect(objectIn(await configMaps.get('a'))).toEqual(updated);
    },
  },
  {
    rule: 'an update of an object that does not exist is 404',
    run: async ({ widgets, configMaps, secrets }) => {
      const missing = { code: 404, reason: 'NotFound' };
      expectFailure(await configMaps.put('a', configMaps.draft('a')), missing);
      expectFailure(await secrets.put('a', secrets.draft('a')), missing);
      const metadata = { resourceVersion: '1' };
      expectFailure(await widgets.put('a', widgets.draft('a', { metadata, spec })), missing);
    },
  },
  {
    rule: 'an update whose body has another name than the path is 400',
    run: async ({ widgets, configMaps }) => {
      const { resourceVersion } = objectIn(await widgets.post(widgets.draft('a', { spec })), 201).metadata;
      objectIn(await configMaps.post(configMaps.draft('a')), 201);
      const refused = { code: 400, reason: 'BadRequest' };
      const metadata = { resourceVersion };
      expectFailure(await widgets.put('a', widgets.draft('b', { metadata, spec })), refused);
      expectFailure(await configMaps.put('a', configMaps.draft('b')), refused);
    },
  },
  {
    rule: 'an update whose body has another namespace than the path is 400',
    run: async ({ widgets, configMaps }) => {
      const { resourceVersion } = objectIn(await widgets.post(widgets.draft('a', { spec })), 201).metadata;
      objectIn(await configMaps.post(configMaps.draft('a')), 201);
      const refused = { code: 400, reason: 'BadRequest' };
      const metadata = { resourceVersion, namespace: 'default' };
      expectFailure(await widgets.put('a', widgets.draft('a', { metadata, spec })), refused);
      expectFailure(
        await configMaps.put('a', configMaps.draft('a', { metadata: { namespace: 'default' } })),
        refused,
      );
    },
  },
  {
    rule: 'an update that the schema refuses does not change the object',
    run: async ({ widgets }) => {
      const created = objectIn(await widgets.post(widgets.draft('a', { spec })), 201);
      const refused = await widgets.put('a', { ...created, spec: { size: 11 } });
      expectFailure(refused, { code: 422, reason: 'Invalid', fields: ['spec.size'] });
      expect(objectIn(await widgets.get('a'))).toEqual(created);
    },
  },
];
