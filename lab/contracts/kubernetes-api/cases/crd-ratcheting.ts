/** Ratcheting: a stored value that has become invalid does not block changes of other fields. */
import { expect } from 'vitest';
import type { Case, Context } from '../case.ts';
import type { Collection } from '../collection.ts';
import { untilAnswer } from '../until.ts';
import { object } from '../crds.ts';
import { expectFailure } from '../failure.ts';
import { objectIn } from '../kube-object.ts';
import { definitionName, install, ownDefinition, ownResource } from '../own-definition.ts';

/** A stored object with size 5, and a schema that later allows 3 at most. */
async function narrowed(context: Context): Promise<Collection> {
  const resource = ownResource(context);
  const schema = object({ spec: object({ size: { type: 'integer' }, note: { type: 'string' } }) });
  const things = await install(context, resource, ownDefinition(resource, schema));
  objectIn(await things.post(things.draft('a', { spec: { size: 5 } })), 201);
  const path = '/spec/versions/0/schema/openAPIV3Schema/properties/spec/properties/size/maximum';
  objectIn(await context.crds.patch(definitionName(resource), { json: [{ op: 'add', path, value: 3 }] }));
  await untilAnswer(
    () => things.post(things.draft('probe', { spec: { size: 4 } }), { dryRun: 'All' }),
    ({ status }) => status === 422,
  );
  return things;
}

export const crdRatchetingCases: readonly Case[] = [
  {
    rule: 'a value that has become invalid is tolerated on update as long as it does not change',
    run: async (context) => {
      const things = await narrowed(context);
      const kept = objectIn(await things.patch('a', { merge: { spec: { note: 'x' } } }));
      expect(kept.spec).toEqual({ size: 5, note: 'x' });
      const refused = await things.patch('a', { merge: { spec: { size: 6 } } });
      expectFailure(refused, { code: 422, reason: 'Invalid', fields: ['spec.size'] });
      expect(objectIn(await things.patch('a', { merge: { spec: { size: 2 } } })).spec).toMatchObject({
        size: 2,
      });
    },
  },
];
