/** The scale subresource: a small view of an object for its replicas. */
import { expect } from 'vitest';
import type { Case } from '../case.ts';
import { expectFailure } from '../failure.ts';
import { objectIn } from '../kube-object.ts';

const onScale = { subresource: 'scale' };

export const scaleSubresourceCases: readonly Case[] = [
  {
    rule: 'the scale shows the replicas and selector under the name, uid and revision of the object',
    run: async ({ widgets, target, namespace }) => {
      objectIn(await widgets.post(widgets.draft('a', { spec: { size: 1, replicas: 3 } })), 201);
      const merge = { status: { ready: 2, selector: 'app=x' } };
      const { metadata } = objectIn(await widgets.patch('a', { merge }, { subresource: 'status' }));
      const { uid, resourceVersion, creationTimestamp } = metadata;
      expect(objectIn(await target.request({ method: 'GET', path: widgets.path('a', 'scale') }))).toEqual({
        apiVersion: 'autoscaling/v1',
        kind: 'Scale',
        metadata: { name: 'a', namespace, uid, resourceVersion, creationTimestamp },
        spec: { replicas: 3 },
        status: { replicas: 2, selector: 'app=x' },
      });
    },
  },
  {
    rule: 'an update of the scale writes the replicas and nothing else',
    run: async ({ widgets, target }) => {
      const before = objectIn(await widgets.post(widgets.draft('a', { spec: { size: 1 } })), 201);
      const scale = objectIn(await target.request({ method: 'GET', path: widgets.path('a', 'scale') }));
      const answer = objectIn(await widgets.put('a', { ...scale, spec: { replicas: 5 } }, onScale));
      expect(answer).toMatchObject({ kind: 'Scale', spec: { replicas: 5 } });
      const after = objectIn(await widgets.get('a'));
      expect(after.metadata.resourceVersion).toBe(answer.metadata.resourceVersion);
      expect(after.spec).toEqual({ ...asFields(before.spec), replicas: 5 });
    },
  },
  {
    rule: 'an update of the scale with an outdated revision is 409 Conflict',
    run: async ({ widgets, target }) => {
      objectIn(await widgets.post(widgets.draft('a', { spec: { size: 1 } })), 201);
      const scale = objectIn(await target.request({ method: 'GET', path: widgets.path('a', 'scale') }));
      objectIn(await widgets.patch('a', { merge: { spec: { size: 2 } } }));
      const refused = await widgets.put('a', { ...scale, spec: { replicas: 5 } }, onScale);
      expectFailure(refused, { code: 409, reason: 'Conflict' });
    },
  },
  {
    rule: 'a negative number of replicas is 422',
    run: async ({ widgets }) => {
      objectIn(await widgets.post(widgets.draft('a', { spec: { size: 1 } })), 201);
      const refused = await widgets.patch('a', { merge: { spec: { replicas: -1 } } }, onScale);
      expectFailure(refused, { code: 422, reason: 'Invalid', fields: ['.spec.replicas'] });
    },
  },
  {
    rule: 'the scale can be applied, and the manager of the apply then owns the replicas',
    run: async ({ deployments }) => {
      const labels = { app: 'x' };
      const template = { metadata: { labels }, spec: { containers: [{ name: 'main', image: 'none' }] } };
      const spec = { replicas: 2, selector: { matchLabels: labels }, template };
      objectIn(await deployments.post(deployments.draft('a', { spec })), 201);
      const apply = (replicas: number, query: Readonly<Record<string, string>>) =>
        deployments.patch(
          'a',
          {
            apply: {
              apiVersion: 'autoscaling/v1',
              kind: 'Scale',
              metadata: { name: 'a' },
              spec: { replicas },
            },
          },
          { ...onScale, query },
        );
      const conflict = { code: 409, reason: 'Conflict', fields: ['.spec.replicas'] };
      expectFailure(await apply(3, { fieldManager: 'm' }), conflict);
      const forced = await apply(3, { fieldManager: 'm', force: 'true' });
      expect(objectIn(forced)).toMatchObject({ kind: 'Scale', spec: { replicas: 3 } });
      expect(objectIn(await apply(4, { fieldManager: 'm' })).spec).toEqual({ replicas: 4 });
      expectFailure(await apply(5, { fieldManager: 'other' }), conflict);
      objectIn(await apply(4, { fieldManager: 'other' }));
      const { managedFields } = objectIn(await deployments.get('a')).metadata;
      expect(managedFields).toMatchObject([
        {
          manager: 'm',
          operation: 'Apply',
          subresource: 'scale',
          fieldsV1: { 'f:spec': { 'f:replicas': {} } },
        },
        { manager: 'other', operation: 'Apply', subresource: 'scale' },
        { operation: 'Update', fieldsV1: { 'f:spec': expect.not.objectContaining({ 'f:replicas': {} }) } },
      ]);
    },
  },
  {
    rule: 'a resource without a scale subresource answers 404 under scale',
    run: async ({ gadgets }) => {
      objectIn(await gadgets.post(gadgets.draft('a')), 201);
      const answer = await gadgets.patch('a', { merge: { spec: { replicas: 1 } } }, onScale);
      expect(answer).toMatchObject({ status: 404 });
    },
  },
];

function asFields(value: unknown): object {
  return typeof value === 'object' && value !== null ? value : {};
}
