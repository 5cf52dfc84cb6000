/** The order of the checks of a write: decoding, then existence, then validation, then conflicts. */
import { expect } from 'vitest';
import type { Case } from '../case.ts';
import { expectFailure } from '../failure.ts';
import { objectIn } from '../kube-object.ts';
import type { Response } from '../target.ts';

function expectUnnamed(response: Response): void {
  expect(response.body).toMatchObject({ status: 'Failure', code: 500 });
  expect(response.body).not.toHaveProperty('reason');
}

export const writeOrderCases: readonly Case[] = [
  {
    rule: 'unknown fields give a warning even where the write is refused for another reason',
    run: async ({ gadgets, configMaps }) => {
      for (const objects of [configMaps, gadgets]) {
        const missing = await objects.put('a', objects.draft('a', { bogus: 1 }));
        expectFailure(missing, { code: 404, reason: 'NotFound' });
        expect(missing.headers).toHaveProperty('warning');
        const elsewhere = await objects.post(objects.draft('a', { bogus: 1, metadata: { namespace: 'x' } }));
        expectFailure(elsewhere, { code: 400, reason: 'BadRequest' });
        expect(elsewhere.headers).toHaveProperty('warning');
      }
    },
  },
  {
    rule: 'a missing namespace is reported before an invalid object',
    run: async ({ of, suffix, configMaps }) => {
      const nowhere = of(configMaps.resource, `nowhere-${suffix}`);
      const draft = nowhere.draft('a', { metadata: { labels: { app: 'not ok' } } });
      expectFailure(await nowhere.post(draft), { code: 404, reason: 'NotFound' });
    },
  },
  {
    rule: 'a create with a revision is an error without a reason, if the object is valid',
    run: async ({ configMaps }) => {
      const draft = (metadata: object) => configMaps.draft('a', { metadata: { name: 'a', ...metadata } });
      const wrong = draft({ resourceVersion: '1', labels: { app: 'not ok' } });
      expectFailure(await configMaps.post(wrong), { code: 422, reason: 'Invalid' });
      expectUnnamed(await configMaps.post(draft({ resourceVersion: '1' })));
      objectIn(await configMaps.post(draft({ resourceVersion: '1' }), { dryRun: 'All' }), 201);
      objectIn(await configMaps.post(draft({ resourceVersion: 'abc' })), 201);
    },
  },
  {
    rule: 'an update with a revision that is not a number is an error without a reason',
    run: async ({ configMaps }) => {
      objectIn(await configMaps.post(configMaps.draft('a')), 201);
      expectUnnamed(
        await configMaps.put('a', configMaps.draft('a', { metadata: { resourceVersion: 'abc' } })),
      );
    },
  },
  {
    rule: 'an update that creates accepts any revision, and refuses every uid',
    run: async ({ leases }) => {
      const draft = (name: string, metadata: object) =>
        leases.draft(name, { metadata: { name, ...metadata } });
      objectIn(await leases.put('a', draft('a', { resourceVersion: '7' })), 201);
      expectFailure(await leases.put('b', draft('b', { uid: 'x' })), { code: 409, reason: 'Conflict' });
    },
  },
  {
    rule: 'a create with generateName that collides is answered with a request to try again',
    run: async ({ configMaps }) => {
      objectIn(await configMaps.post(configMaps.draft('a')), 201);
      const again = await configMaps.post(
        configMaps.draft('a', { metadata: { name: 'a', generateName: 'a' } }),
      );
      expectFailure(again, { code: 409, reason: 'AlreadyExists' });
      expect(again.body).toMatchObject({ details: { retryAfterSeconds: 1 } });
    },
  },
  {
    rule: 'changes of immutable metadata are reported together with other errors',
    run: async ({ gadgets }) => {
      const { metadata } = objectIn(await gadgets.post(gadgets.draft('a')), 201);
      const draft = gadgets.draft('a', {
        metadata: { ...metadata, deletionGracePeriodSeconds: 5, labels: { app: 'not ok' } },
      });
      expectFailure(await gadgets.put('a', draft), {
        code: 422,
        reason: 'Invalid',
        fields: ['metadata.deletionGracePeriodSeconds', 'metadata.labels'],
      });
    },
  },
  {
    rule: 'an apply of a field outside the schema is an error without a reason',
    run: async ({ widgets, secrets }) => {
      const query = { fieldManager: 'me' };
      const apply = widgets.draft('a', { spec: { bogus: 1 } });
      expectUnnamed(await widgets.patch('a', { apply }, { query }));
      const bytes = secrets.draft('a', { data: { a: 'not base64!' } });
      expectUnnamed(await secrets.patch('a', { apply: bytes }, { query }));
      expectFailure(await widgets.patch('a', { apply }, { query, subresource: 'status' }), {
        code: 404,
        reason: 'NotFound',
      });
    },
  },
  {
    rule: 'a rule in CEL is evaluated unless a type, an enum, a length or a required field is wrong',
    run: async ({ widgets }) => {
      const refused = { code: 422, reason: 'Invalid' };
      const draft = (spec: object) => widgets.draft('a', { spec: { size: 1, low: 5, high: 3, ...spec } });
      expectFailure(await widgets.post(draft({ code: 'ABC' })), {
        ...refused,
        fields: ['spec.code', 'spec.low'],
      });
      expectFailure(await widgets.post(draft({ mode: 'Odd' })), { ...refused, fields: ['spec.mode'] });
    },
  },
  {
    rule: 'a status that the write ignores but that has the wrong type clears the managed fields',
    run: async ({ widgets }) => {
      const draft = widgets.draft('a', { spec: { size: 1 }, status: { phase: 1 } });
      expect(objectIn(await widgets.post(draft), 201).metadata).not.toHaveProperty('managedFields');
    },
  },
];
