/** Defaults of a schema. */
import { expect } from 'vitest';
import type { Case } from '../case.ts';
import { untilAnswer } from '../until.ts';
import { expectFailure } from '../failure.ts';
import { listIn, objectIn } from '../kube-object.ts';
import { definitionName, install, ownResource } from '../own-definition.ts';

export const crdDefaultingCases: readonly Case[] = [
  {
    rule: 'a create fills in the defaults, and keeps given values',
    run: async ({ widgets }) => {
      const created = objectIn(
        await widgets.post(widgets.draft('a', { spec: { size: 1, mode: 'Fast' } })),
        201,
      );
      expect(created.spec).toEqual({
        size: 1,
        mode: 'Fast',
        replicas: 1,
        colour: 'grey',
        finish: 'matt',
        budget: { soft: 7 },
      });
    },
  },
  {
    rule: 'a default below a missing object does nothing',
    run: async ({ widgets, gadgets }) => {
      const created = objectIn(await widgets.post(widgets.draft('a', { spec: { size: 1 } })), 201);
      expect(created.spec).toHaveProperty('mode', 'Slow');
      expect(created.spec).not.toHaveProperty('limits');
      const bare = objectIn(await widgets.post(widgets.draft('b')), 201);
      expect(bare).not.toHaveProperty('spec');
      expect(objectIn(await gadgets.post(gadgets.draft('a')), 201)).not.toHaveProperty('spec');
    },
  },
  {
    rule: 'a default below an existing or defaulted object is filled in',
    run: async ({ widgets }) => {
      const created = objectIn(
        await widgets.post(widgets.draft('a', { spec: { size: 1, limits: {} } })),
        201,
      );
      expect(created.spec).toMatchObject({ limits: { soft: 5 }, budget: { soft: 7 } });
    },
  },
  {
    rule: 'defaults are filled in in every item of a list',
    run: async ({ widgets }) => {
      const spec = { size: 1, parts: [{ name: 'p' }, { name: 'q', count: 4 }] };
      const created = objectIn(await widgets.post(widgets.draft('a', { spec })), 201);
      expect(created.spec).toMatchObject({
        parts: [
          { name: 'p', count: 1 },
          { name: 'q', count: 4 },
        ],
      });
    },
  },
  {
    rule: 'null for a field with a default is the default, unless the field is nullable',
    run: async ({ widgets }) => {
      const spec = { size: 1, finish: null, colour: null };
      const created = objectIn(await widgets.post(widgets.draft('a', { spec })), 201);
      expect(created.spec).toMatchObject({ finish: 'matt', colour: null });
    },
  },
  {
    rule: 'null for a nullable field without a default stays',
    run: async ({ widgets }) => {
      const created = objectIn(
        await widgets.post(widgets.draft('a', { spec: { size: 1, note: null } })),
        201,
      );
      expect(created.spec).toHaveProperty('note', null);
    },
  },
  {
    rule: 'null for a field that is neither nullable nor defaulted is dropped',
    run: async ({ widgets }) => {
      const created = objectIn(
        await widgets.post(widgets.draft('a', { spec: { size: 1, code: null } })),
        201,
      );
      expect(created.spec).not.toHaveProperty('code');
      const refused = await widgets.post(widgets.draft('b', { spec: { size: null } }));
      expectFailure(refused, { code: 422, reason: 'Invalid', fields: ['spec.size'] });
    },
  },
  {
    rule: 'an update without a defaulted field gets the default again',
    run: async ({ widgets }) => {
      const created = objectIn(
        await widgets.post(widgets.draft('a', { spec: { size: 1, mode: 'Fast' } })),
        201,
      );
      const updated = objectIn(await widgets.put('a', { ...created, spec: { size: 1 } }));
      expect(updated.spec).toMatchObject({ mode: 'Slow' });
    },
  },
  {
    rule: 'a later default shows in objects stored before, without a new revision',
    run: async (context) => {
      const resource = ownResource(context);
      const things = await install(context, resource);
      const stored = objectIn(await things.post(things.draft('a', { spec: {} })), 201);
      const path = '/spec/versions/0/schema/openAPIV3Schema/properties/spec/properties/size/default';
      const json = [{ op: 'add', path, value: 3 }];
      objectIn(await context.crds.patch(definitionName(resource), { json }));
      const answer = await untilAnswer(
        () => things.get('a'),
        (response) => response.status === 200 && JSON.stringify(objectIn(response).spec) !== '{}',
      );
      const read = objectIn(answer);
      expect(read).toEqual({ ...stored, spec: { size: 3 } });
      // The real server answers 429 while it replaces the storage of a changed definition.
      const listed = await untilAnswer(
        () => things.list(),
        ({ status }) => status === 200,
      );
      expect(listIn(listed).items).toEqual([read]);
    },
  },
];
