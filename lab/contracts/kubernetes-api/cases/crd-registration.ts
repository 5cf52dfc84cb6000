/** How a CustomResourceDefinition becomes a served resource, and how it is removed. */
import { expect } from 'vitest';
import type { Case } from '../case.ts';
import { untilAnswer, untilServed } from '../until.ts';
import { crdFor, object } from '../crds.ts';
import { expectFailure } from '../failure.ts';
import { asObject, listIn, objectIn } from '../kube-object.ts';
import { definitionName, install, ownDefinition, ownResource } from '../own-definition.ts';
import { eventsUntil, nextEvents, eventTexts } from '../watching.ts';

function conditionsOf(crd: unknown): Readonly<Record<string, string>> {
  const { status } = asObject(crd);
  const conditions =
    typeof status === 'object' && status !== null && 'conditions' in status ? status.conditions : [];
  const list: readonly { type: string; status: string }[] = Array.isArray(conditions) ? conditions : [];
  return Object.fromEntries(list.map((condition) => [condition.type, condition.status]));
}

const schema = object({});

export const crdRegistrationCases: readonly Case[] = [
  {
    rule: 'a CRD becomes Established with its names accepted, and then its resource is served',
    run: async (context) => {
      const { crds, target, of } = context;
      const resource = ownResource(context);
      objectIn(await crds.post(ownDefinition(resource)), 201);
      const watch = await crds.watch({ fieldSelector: `metadata.name=${definitionName(resource)}` });
      const events = await eventsUntil(watch, (event) => conditionsOf(event.object).Established === 'True');
      const established = asObject(events.at(-1)?.object);
      expect(conditionsOf(established)).toMatchObject({ NamesAccepted: 'True', Established: 'True' });
      expect(established.status).toMatchObject({
        acceptedNames: { plural: 'things', singular: 'thing', kind: 'Thing', listKind: 'ThingList' },
        storedVersions: ['v1'],
      });
      await untilServed(target, resource);
      expect(listIn(await of(resource).list())).toMatchObject({
        apiVersion: `${resource.group}/v1`,
        kind: 'ThingList',
        items: [],
      });
    },
  },
  {
    rule: 'a CRD gets singular and listKind from its kind, and no conversion',
    run: async (context) => {
      const { crds } = context;
      const resource = ownResource(context);
      const draft = ownDefinition(resource);
      const names = { plural: resource.plural, kind: resource.kind };
      const spec = { ...asFields(draft.spec), names };
      expect(objectIn(await crds.post({ ...draft, spec }), 201)).toMatchObject({
        spec: {
          names: { ...names, singular: 'thing', listKind: 'ThingList' },
          conversion: { strategy: 'None' },
        },
      });
    },
  },
  {
    rule: 'the name of a CRD is its plural and its group',
    run: async (context) => {
      const draft = ownDefinition(ownResource(context));
      const refused = await context.crds.post({ ...draft, metadata: { name: `other.${context.suffix}` } });
      expectFailure(refused, { code: 422, reason: 'Invalid', fields: ['metadata.name'] });
    },
  },
  {
    rule: 'a CRD without a schema is 422',
    run: async (context) => {
      const draft = ownDefinition(ownResource(context));
      const versions = [{ name: 'v1', served: true, storage: true }];
      const refused = await context.crds.post({ ...draft, spec: { ...asFields(draft.spec), versions } });
      expectFailure(refused, {
        code: 422,
        reason: 'Invalid',
        fields: ['spec.versions[0].schema.openAPIV3Schema'],
      });
    },
  },
  {
    rule: 'a CRD whose schema lacks types is 422',
    run: async (context) => {
      const untyped = object({ spec: { properties: { size: {} } } });
      const refused = await context.crds.post(
        crdFor(ownResource(context), [{ name: 'v1', schema: untyped }]),
      );
      // A schema that all versions share is reported under the path of older CRDs.
      const below = 'spec.validation.openAPIV3Schema.properties[spec]';
      expectFailure(refused, {
        code: 422,
        reason: 'Invalid',
        fields: [`${below}.properties[size].type`, `${below}.type`],
      });
    },
  },
  {
    rule: 'a CRD with two storage versions, or none, is 422',
    run: async (context) => {
      const resource = ownResource(context);
      for (const storage of [true, false]) {
        const versions = ['v1', 'v2'].map((name) => ({ name, schema, storage }));
        const refused = await context.crds.post(crdFor(resource, versions));
        expect(refused.body).toMatchObject({
          code: 422,
          reason: 'Invalid',
          details: { causes: expect.arrayContaining([expect.objectContaining({ field: 'spec.versions' })]) },
        });
      }
    },
  },
  {
    rule: 'the scope and the group of a CRD cannot be changed',
    run: async (context) => {
      const { crds } = context;
      const resource = ownResource(context);
      await install(context, resource);
      const refused = await crds.patch(definitionName(resource), { merge: { spec: { scope: 'Cluster' } } });
      expectFailure(refused, { code: 422, reason: 'Invalid', fields: ['spec.scope'] });
    },
  },
  {
    rule: 'a CRD whose kind is already in use in its group is not accepted and not served',
    run: async (context) => {
      const { crds, of } = context;
      const first = ownResource(context);
      await install(context, first);
      const second = { ...first, plural: 'others' };
      objectIn(await crds.post(ownDefinition(second)), 201);
      const watch = await crds.watch({ fieldSelector: `metadata.name=${definitionName(second)}` });
      const events = await eventsUntil(watch, (event) => 'NamesAccepted' in conditionsOf(event.object));
      expect(conditionsOf(events.at(-1)?.object)).toMatchObject({ NamesAccepted: 'False' });
      expect(await of(second).list()).toMatchObject({ status: 404 });
    },
  },
  {
    rule: 'a deleted CRD deletes its objects, with events on their watches, and is no longer served',
    run: async (context) => {
      const { crds } = context;
      const resource = ownResource(context);
      const things = await install(context, resource);
      objectIn(await things.post(things.draft('a')), 201);
      const watch = await things.watch();
      expect(eventTexts(await nextEvents(watch, 1))).toEqual(['ADDED a']);
      const crdWatch = await crds.watch({ fieldSelector: `metadata.name=${definitionName(resource)}` });
      const marked = objectIn(await crds.delete(definitionName(resource)));
      expect(marked.metadata).toMatchObject({
        deletionTimestamp: expect.any(String),
        finalizers: ['customresourcecleanup.apiextensions.k8s.io'],
      });
      expect(eventTexts(await nextEvents(watch, 1))).toEqual(['DELETED a']);
      await eventsUntil(crdWatch, ({ type }) => type === 'DELETED');
      await watch.ended();
      await untilAnswer(
        () => things.list(),
        ({ status }) => status === 404,
      );
    },
  },
  {
    rule: 'nothing can be created for a CRD that is being deleted',
    run: async (context) => {
      const { crds } = context;
      const resource = ownResource(context);
      const things = await install(context, resource);
      const hold = { metadata: { finalizers: ['contract.muster.dev/hold'] } };
      objectIn(await things.post(things.draft('a', hold)), 201);
      const crdWatch = await crds.watch({ fieldSelector: `metadata.name=${definitionName(resource)}` });
      objectIn(await crds.delete(definitionName(resource)));
      await eventsUntil(crdWatch, (event) => conditionsOf(event.object).Terminating === 'True');
      const refused = await untilAnswer(
        () => things.post(things.draft('b'), { dryRun: 'All' }),
        ({ status }) => status === 403,
      );
      expectFailure(refused, { code: 403, reason: 'Forbidden' });
      objectIn(await things.patch('a', { merge: { metadata: { finalizers: null } } }));
      await eventsUntil(crdWatch, ({ type }) => type === 'DELETED');
    },
  },
  {
    rule: 'a change of the schema applies to the next write',
    run: async (context) => {
      const { crds } = context;
      const resource = ownResource(context);
      const things = await install(context, resource);
      const path = '/spec/versions/0/schema/openAPIV3Schema/properties/spec/properties/size/maximum';
      const json = [{ op: 'add', path, value: 3 }];
      objectIn(await crds.patch(definitionName(resource), { json }));
      const big = things.draft('a', { spec: { size: 4 } });
      const refused = await untilAnswer(
        () => things.post(big, { dryRun: 'All' }),
        ({ status }) => status === 422,
      );
      expectFailure(refused, { code: 422, reason: 'Invalid', fields: ['spec.size'] });
    },
  },
  {
    rule: 'a version that is not served is 404',
    run: async (context) => {
      const resource = ownResource(context);
      const versions = [
        { name: 'v1', schema },
        { name: 'v2', schema, storage: false, served: false },
      ];
      await install(context, resource, crdFor(resource, versions));
      expect(await context.of({ ...resource, version: 'v2' }).list()).toMatchObject({ status: 404 });
    },
  },
];

function asFields(value: unknown): object {
  return typeof value === 'object' && value !== null ? value : {};
}
