/** Other representations of objects: a table, or metadata alone. */
import { expect } from 'vitest';
import type { Case } from '../case.ts';
import { expectFailure } from '../failure.ts';
import { objectIn } from '../kube-object.ts';

const asTable = 'application/json;as=Table;v=v1;g=meta.k8s.io';
const asMetadata = 'application/json;as=PartialObjectMetadata;v=v1;g=meta.k8s.io';
const asMetadataList = 'application/json;as=PartialObjectMetadataList;v=v1;g=meta.k8s.io';
const age = expect.stringMatching(/^\d+[smh]/);

export const tablesCases: readonly Case[] = [
  {
    rule: 'a list as a table has the declared columns, a row for each object and its metadata, not the whole object',
    run: async ({ bolts, target }) => {
      const spec = { size: 3, note: 'round' };
      const { metadata } = objectIn(await bolts.post(bolts.draft('a', { spec })), 201);
      objectIn(await bolts.post(bolts.draft('b')), 201);
      const { body } = await target.request({ method: 'GET', path: bolts.path(), accept: asTable });
      expect(body).toMatchObject({
        kind: 'Table',
        apiVersion: 'meta.k8s.io/v1',
        metadata: { resourceVersion: expect.stringMatching(/^\d+$/) },
        columnDefinitions: [
          { name: 'Name', type: 'string', format: 'name', priority: 0 },
          { name: 'Size', type: 'integer', priority: 0 },
          { name: 'Note', type: 'string', priority: 1 },
          { name: 'Since', type: 'date', priority: 0 },
        ],
        rows: [
          { cells: ['a', 3, 'round', age], object: { kind: 'PartialObjectMetadata', metadata } },
          { cells: ['b', null, null, age], object: { kind: 'PartialObjectMetadata' } },
        ],
      });
    },
  },
  {
    rule: 'a kind without declared columns has its name and age',
    run: async ({ gadgets, target }) => {
      objectIn(await gadgets.post(gadgets.draft('a')), 201);
      const { body } = await target.request({ method: 'GET', path: gadgets.path('a'), accept: asTable });
      expect(body).toMatchObject({
        columnDefinitions: [{ name: 'Name' }, { name: 'Age' }],
        rows: [{ cells: ['a', age] }],
      });
    },
  },
  {
    rule: 'the rows of a table can come with the whole object or with nothing',
    run: async ({ bolts, target }) => {
      const created = objectIn(await bolts.post(bolts.draft('a')), 201);
      const rowWith = async (includeObject: string): Promise<unknown> => {
        const { body } = await target.request({
          method: 'GET',
          path: bolts.path('a'),
          query: { includeObject },
          accept: asTable,
        });
        return body;
      };
      expect(await rowWith('Object')).toMatchObject({ rows: [{ object: created }] });
      expect(await rowWith('None')).not.toHaveProperty('rows.0.object.metadata');
    },
  },
  {
    rule: 'whole objects in the rows of a table say what they are, for built-in kinds too',
    run: async ({ secrets, target }) => {
      objectIn(await secrets.post(secrets.draft('a')), 201);
      const query = { includeObject: 'Object' };
      const { body } = await target.request({ method: 'GET', path: secrets.path(), query, accept: asTable });
      expect(body).toMatchObject({
        rows: [{ object: { kind: 'Secret', apiVersion: 'v1', metadata: { name: 'a' } } }],
      });
    },
  },
  {
    rule: 'an error is a Status even where a table was requested',
    run: async ({ bolts, target }) => {
      const missing = await target.request({ method: 'GET', path: bolts.path('nobody'), accept: asTable });
      expectFailure(missing, { code: 404, reason: 'NotFound' });
    },
  },
  {
    rule: 'with several accepted types, the first supported type counts, plain JSON included',
    run: async ({ bolts, target }) => {
      objectIn(await bolts.post(bolts.draft('a')), 201);
      const ask = (accept: string): Promise<{ body: unknown }> =>
        target.request({ method: 'GET', path: bolts.path('a'), accept });
      expect(await ask(`application/json;as=Riddle;v=v1;g=meta.k8s.io,application/json`)).toMatchObject({
        body: { kind: 'Bolt' },
      });
      expect(await ask(`${asTable},application/json`)).toMatchObject({ body: { kind: 'Table' } });
    },
  },
  {
    rule: 'an object or a list can be read as metadata alone',
    run: async ({ widgets, target }) => {
      const { metadata } = objectIn(await widgets.post(widgets.draft('a', { spec: { size: 1 } })), 201);
      const one = await target.request({ method: 'GET', path: widgets.path('a'), accept: asMetadata });
      expect(one.body).toEqual({ kind: 'PartialObjectMetadata', apiVersion: 'meta.k8s.io/v1', metadata });
      const all = await target.request({ method: 'GET', path: widgets.path(), accept: asMetadataList });
      expect(all.body).toMatchObject({ kind: 'PartialObjectMetadataList', items: [{ metadata }] });
      expect(all.body).not.toHaveProperty('items.0.spec');
    },
  },
];
