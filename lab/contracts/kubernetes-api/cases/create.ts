/** What a create answers and refuses. */
import { expect } from 'vitest';
import type { Case } from '../case.ts';
import { expectFailure } from '../failure.ts';
import { objectIn } from '../kube-object.ts';

const spec = { size: 1 };

export const createCases: readonly Case[] = [
  {
    rule: 'a create answers 201 with the same object as a later read',
    run: async ({ widgets }) => {
      const created = objectIn(await widgets.post(widgets.draft('a', { spec })), 201);
      expect(created).toMatchObject({ apiVersion: 'contract.muster.dev/v1', kind: 'Widget', spec });
      expect(objectIn(await widgets.get('a'))).toEqual(created);
    },
  },
  {
    rule: 'a create of an existing name is 409 AlreadyExists and does not change the object',
    run: async ({ widgets }) => {
      const first = objectIn(await widgets.post(widgets.draft('a', { spec })), 201);
      const refused = await widgets.post(widgets.draft('a', { spec: { size: 2 } }));
      expectFailure(refused, { code: 409, reason: 'AlreadyExists' });
      expect(refused.body).toMatchObject({
        details: { name: 'a', group: 'contract.muster.dev', kind: 'widgets' },
      });
      expect(objectIn(await widgets.get('a'))).toEqual(first);
    },
  },
  {
    rule: 'a create with a resourceVersion is 500 and stores nothing',
    run: async ({ widgets, configMaps }) => {
      const metadata = { resourceVersion: '7' };
      const refused = { status: 500, body: { kind: 'Status', status: 'Failure', code: 500 } };
      expect(await widgets.post(widgets.draft('a', { metadata, spec }))).toMatchObject(refused);
      expect(await configMaps.post(configMaps.draft('a', { metadata }))).toMatchObject(refused);
      expectFailure(await widgets.get('a'), { code: 404, reason: 'NotFound' });
    },
  },
  {
    rule: 'a create uses the namespace of the path when the body names none',
    run: async ({ configMaps, namespace }) => {
      const created = objectIn(await configMaps.post(configMaps.draft('a')), 201);
      expect(created.metadata.namespace).toBe(namespace);
    },
  },
  {
    rule: 'a create whose body names another namespace than the path is 400',
    run: async ({ widgets, configMaps }) => {
      const metadata = { namespace: 'default' };
      const refused = { code: 400, reason: 'BadRequest' };
      expectFailure(await widgets.post(widgets.draft('a', { metadata, spec })), refused);
      expectFailure(await configMaps.post(configMaps.draft('a', { metadata })), refused);
    },
  },
  {
    rule: 'a create into a namespace that does not exist is 404 for the namespace',
    run: async ({ of, widgets, configMaps, suffix }) => {
      for (const { resource } of [widgets, configMaps]) {
        const nowhere = of(resource, `nowhere-${suffix}`);
        const refused = await nowhere.post(nowhere.draft('a', { spec: { size: 1 } }));
        expectFailure(refused, { code: 404, reason: 'NotFound' });
        expect(refused.body).toMatchObject({ details: { name: `nowhere-${suffix}`, kind: 'namespaces' } });
      }
    },
  },
  {
    rule: 'a create whose body is of another version of the group than the path is 400',
    run: async ({ widgets, leases }) => {
      const refused = { code: 400, reason: 'BadRequest' };
      const apiVersion = 'contract.muster.dev/v2';
      expectFailure(await widgets.post(widgets.draft('a', { apiVersion, spec })), refused);
      const lease = leases.draft('a', { apiVersion: 'coordination.k8s.io/v1beta1' });
      expectFailure(await leases.post(lease), refused);
    },
  },
  {
    rule: 'a create whose body is of another kind than the path is 422 for a custom resource and 400 for a builtin',
    run: async ({ widgets, configMaps }) => {
      const custom = await widgets.post(widgets.draft('a', { kind: 'Gadget', spec }));
      expectFailure(custom, { code: 422, reason: 'Invalid', fields: ['kind'] });
      const builtin = await configMaps.post(configMaps.draft('a', { kind: 'Secret' }));
      expectFailure(builtin, { code: 400, reason: 'BadRequest' });
    },
  },
  {
    rule: 'a create without kind and apiVersion is 400 for a custom resource and allowed for a builtin',
    run: async ({ widgets, configMaps }) => {
      const refused = await widgets.post({ metadata: { name: 'a' }, spec });
      expectFailure(refused, { code: 400, reason: 'BadRequest' });
      const created = objectIn(await configMaps.post({ metadata: { name: 'a' } }), 201);
      expect(created).toMatchObject({ apiVersion: 'v1', kind: 'ConfigMap' });
    },
  },
  {
    rule: 'a cluster-scoped object has no namespace, and no path below one',
    run: async ({ zones, of, suffix }) => {
      const created = objectIn(await zones.post(zones.draft(`z-${suffix}`, { spec })), 201);
      expect(created.metadata).not.toHaveProperty('namespace');
      const misplaced = of({ ...zones.resource, scope: 'Namespaced' });
      expect(await misplaced.get(`z-${suffix}`)).toMatchObject({ status: 404 });
    },
  },
];
