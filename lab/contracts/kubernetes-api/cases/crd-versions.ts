/** A resource in two versions that differ in name only (conversion None). */
import { expect } from 'vitest';
import type { Case } from '../case.ts';
import { expectFailure } from '../failure.ts';
import { listIn, objectIn } from '../kube-object.ts';
import { crdFor } from '../crds.ts';
import { install, ownResource } from '../own-definition.ts';
import { untilAnswer } from '../until.ts';
import { nextEvents } from '../watching.ts';

const spec = { size: 1 };
const versions = ['contract.muster.dev/v1beta1', 'contract.muster.dev/v1'];

export const crdVersionsCases: readonly Case[] = [
  {
    rule: 'an object is read in every served version, and only its apiVersion differs',
    run: async ({ bolts, oldBolts }) => {
      objectIn(await oldBolts.post(oldBolts.draft('a', { spec })), 201);
      const old = objectIn(await oldBolts.get('a'));
      const current = objectIn(await bolts.get('a'));
      expect([old.apiVersion, current.apiVersion]).toEqual(versions);
      expect({ ...old, apiVersion: '' }).toEqual({ ...current, apiVersion: '' });
    },
  },
  {
    rule: 'an object can be written through every served version, with one revision and generation',
    run: async ({ bolts, oldBolts }) => {
      const created = objectIn(await bolts.post(bolts.draft('a', { spec })), 201);
      const old = objectIn(await oldBolts.get('a'));
      const updated = objectIn(await oldBolts.put('a', { ...old, spec: { size: 2 } }));
      expect(updated).toMatchObject({ spec: { size: 2 }, metadata: { generation: 2 } });
      expectFailure(await bolts.put('a', { ...created, spec: { size: 3 } }), {
        code: 409,
        reason: 'Conflict',
      });
    },
  },
  {
    rule: 'lists and watches return every object in the version of the request',
    run: async ({ bolts, oldBolts }) => {
      objectIn(await bolts.post(bolts.draft('a', { spec })), 201);
      objectIn(await oldBolts.post(oldBolts.draft('b', { spec })), 201);
      const list = listIn(await oldBolts.list());
      expect(list.apiVersion).toBe(versions[0]);
      expect(list.items.map(({ apiVersion }) => apiVersion)).toEqual([versions[0], versions[0]]);
      const events = await nextEvents(await oldBolts.watch(), 2);
      for (const { object } of events) expect(object).toMatchObject({ apiVersion: versions[0] });
    },
  },
  {
    rule: 'a body of one version under the path of another is 400',
    run: async ({ bolts, oldBolts }) => {
      const refused = await bolts.post(oldBolts.draft('a', { spec }));
      expectFailure(refused, { code: 400, reason: 'BadRequest' });
    },
  },
  {
    rule: 'a request of a deprecated version gets a warning',
    run: async (context) => {
      const resource = ownResource(context);
      const schema = { type: 'object' };
      const first = await install(
        context,
        resource,
        crdFor(resource, [
          { name: 'v1', schema, extra: { deprecated: true } },
          {
            name: 'v2',
            schema,
            storage: false,
            extra: { deprecated: true, deprecationWarning: 'use another' },
          },
        ]),
      );
      const second = context.of({ ...resource, version: 'v2' });
      const missing = await untilAnswer(
        () => first.get('a'),
        ({ status }) => status === 404,
      );
      expect(missing.headers['warning']).toBe(`299 - "${resource.group}/v1 Thing is deprecated"`);
      const other = await untilAnswer(
        () => second.get('a'),
        ({ headers }) => headers['warning'] !== undefined,
      );
      expect(other.headers['warning']).toBe('299 - "use another"');
    },
  },
];
