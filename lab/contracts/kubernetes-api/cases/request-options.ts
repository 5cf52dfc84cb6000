/** Options are validated before anything else, all together, and reported under the name of their options type. */
import { expect } from 'vitest';
import type { Case } from '../case.ts';
import { expectFailure } from '../failure.ts';
import { listIn, objectIn } from '../kube-object.ts';

const invalid = { code: 422, reason: 'Invalid' };

export const requestOptionsCases: readonly Case[] = [
  {
    rule: 'all invalid options of a write are reported together, under the options type of the write',
    run: async ({ configMaps, widgets }) => {
      const query = { fieldManager: 'a\nb', dryRun: 'None', fieldValidation: 'Loud' };
      const fields = ['dryRun', 'fieldManager', 'fieldValidation'];
      for (const objects of [configMaps, widgets]) {
        const created = await objects.post(objects.draft('a'), query);
        expectFailure(created, { ...invalid, fields });
        expect(created.body).toMatchObject({ details: { group: 'meta.k8s.io', kind: 'CreateOptions' } });
        const put = await objects.put('a', objects.draft('a'), { query });
        expectFailure(put, { ...invalid, fields });
        expect(put.body).toMatchObject({ details: { kind: 'UpdateOptions' } });
        const patched = await objects.patch('a', { merge: {} }, { query: { ...query, force: 'true' } });
        expectFailure(patched, { ...invalid, fields: [...fields, 'force'] });
        expect(patched.body).toMatchObject({ details: { kind: 'PatchOptions' } });
      }
    },
  },
  {
    rule: 'options of a delete are refused whether or not the object exists',
    run: async ({ widgets }) => {
      const query = { dryRun: 'None', propagationPolicy: 'Sideways' };
      const fields = ['dryRun', 'propagationPolicy'];
      expectFailure(await widgets.delete('a', { query }), { ...invalid, fields });
      expectFailure(await widgets.deleteAll(query), { ...invalid, fields });
      const twice = { propagationPolicy: 'Sideways', orphanDependents: false };
      expectFailure(await widgets.delete('a', { options: twice }), {
        ...invalid,
        causes: ['FieldValueInvalid', 'FieldValueNotSupported'],
      });
    },
  },
  {
    rule: 'invalid options of a watch are reported together, as ListOptions',
    run: async ({ widgets, target }) => {
      const query = { watch: 'true', sendInitialEvents: 'true', resourceVersionMatch: 'Exact' };
      const refused = await target.request({ method: 'GET', path: widgets.path(), query });
      expectFailure(refused, { ...invalid, causes: ['FieldValueForbidden', 'FieldValueNotSupported'] });
      expect(refused.body).toMatchObject({ details: { kind: 'ListOptions' } });
    },
  },
  {
    rule: 'an invalid selector is refused before the options',
    run: async ({ widgets }) => {
      const query = { labelSelector: '=a', resourceVersionMatch: 'Exact' };
      expectFailure(await widgets.list(query), { code: 400, reason: 'BadRequest' });
      const unknown = { fieldSelector: 'spec.size=1', resourceVersionMatch: 'Exact' };
      expectFailure(await widgets.list(unknown), invalid);
    },
  },
  {
    rule: 'a limit below zero means no limit, and a limit that is not a number is 400',
    run: async ({ secrets }) => {
      for (const name of ['a', 'b']) objectIn(await secrets.post(secrets.draft(name)), 201);
      expect(listIn(await secrets.list({ limit: '-1' })).items).toHaveLength(2);
      expectFailure(await secrets.list({ limit: 'x', resourceVersion: '0' }), {
        code: 400,
        reason: 'BadRequest',
      });
    },
  },
  {
    rule: 'a read at a revision that is not a number is a server error without a reason',
    run: async ({ widgets, target }) => {
      for (const query of [{ resourceVersion: 'abc' }, { resourceVersion: 'abc', watch: 'true' }]) {
        const path = 'watch' in query ? widgets.path() : widgets.path('a');
        const refused = await target.request({ method: 'GET', path, query });
        expect(refused.body).toMatchObject({ status: 'Failure', code: 500 });
        expect(refused.body).not.toHaveProperty('reason');
      }
    },
  },
  {
    rule: 'a limit with a revision means exactly that revision, and with revision 0 the limit is ignored',
    run: async ({ secrets }) => {
      const first = objectIn(await secrets.post(secrets.draft('a')), 201);
      objectIn(await secrets.post(secrets.draft('b')), 201);
      const then = listIn(
        await secrets.list({ limit: '1', resourceVersion: first.metadata.resourceVersion }),
      );
      expect(then.metadata).toEqual({ resourceVersion: first.metadata.resourceVersion });
      await secrets.list({ labelSelector: 'a=b' });
      expect(listIn(await secrets.list({ limit: '1', resourceVersion: '0' })).items).toHaveLength(2);
    },
  },
  {
    rule: 'a full page has a token while any object follows, even one outside the selector',
    run: async ({ secrets }) => {
      objectIn(await secrets.post(secrets.draft('a', { metadata: { labels: { app: 'x' } } })), 201);
      objectIn(await secrets.post(secrets.draft('b')), 201);
      const page = listIn(await secrets.list({ limit: '1', labelSelector: 'app=x' }));
      expect(page.metadata.continue).toBeTruthy();
      const next = { limit: '1', labelSelector: 'app=x', continue: page.metadata.continue ?? '' };
      expect(listIn(await secrets.list(next)).items).toEqual([]);
      expect(
        listIn(await secrets.list({ limit: '1', fieldSelector: 'metadata.name=a' })).metadata.continue,
      ).toBe(undefined);
    },
  },
  {
    rule: 'a label selector compares whole numbers',
    run: async ({ secrets }) => {
      for (const app of ['2', '10', 'x'])
        objectIn(await secrets.post(secrets.draft(`s${app}`, { metadata: { labels: { app } } })), 201);
      const names = listIn(await secrets.list({ labelSelector: 'app>2' })).items.map(
        ({ metadata }) => metadata.name,
      );
      expect(names).toEqual(['s10']);
      expectFailure(await secrets.list({ labelSelector: 'app>x' }), { code: 400, reason: 'BadRequest' });
    },
  },
];
