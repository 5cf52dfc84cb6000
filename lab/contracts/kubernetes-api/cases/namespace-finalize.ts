/** The finalizers of a namespace: a list in its spec, written through the finalize subresource. */
import { expect } from 'vitest';
import type { Case } from '../case.ts';
import { expectFailure } from '../failure.ts';
import { objectIn } from '../kube-object.ts';

const hold = 'contract.muster.dev/hold';
const onFinalize = { subresource: 'finalize' };

export const namespaceFinalizeCases: readonly Case[] = [
  {
    rule: 'a new namespace is Active and has the finalizer kubernetes beside the given finalizers',
    run: async ({ namespaces, suffix }) => {
      const name = `held-${suffix}`;
      const draft = namespaces.draft(name, {
        spec: { finalizers: [hold] },
        status: { phase: 'Terminating' },
      });
      const created = objectIn(await namespaces.post(draft), 201);
      expect(created.spec).toEqual({ finalizers: [hold, 'kubernetes'] });
      expect(created.status).toEqual({ phase: 'Active' });
      const [owner] = created.metadata.managedFields ?? [];
      expect(owner?.fieldsV1).toMatchObject({
        'f:metadata': { 'f:labels': { '.': {}, 'f:kubernetes.io/metadata.name': {} } },
      });
    },
  },
  {
    rule: 'the finalizers of a namespace change only through the finalize subresource',
    run: async ({ namespaces, namespace }) => {
      const created = objectIn(await namespaces.get(namespace));
      const merge = { spec: { finalizers: [hold] } };
      expect(objectIn(await namespaces.patch(namespace, { merge })).spec).toEqual(created.spec);
      const spec = { finalizers: ['kubernetes', hold] };
      const now = objectIn(await namespaces.get(namespace));
      const held = objectIn(await namespaces.put(namespace, { ...now, spec }, onFinalize));
      expect(held.spec).toEqual(spec);
      expect(objectIn(await namespaces.get(namespace))).toEqual(held);
      const patched = await namespaces.patch(namespace, { merge }, onFinalize);
      expectFailure(patched, { code: 405, reason: 'MethodNotAllowed' });
    },
  },
  {
    rule: 'a namespace that is being deleted is removed with its last finalizer',
    run: async ({ namespaces, suffix }) => {
      const name = `held-${suffix}`;
      objectIn(await namespaces.post(namespaces.draft(name, { spec: { finalizers: [hold] } })), 201);
      const marked = objectIn(await namespaces.delete(name));
      expect(marked.status).toMatchObject({ phase: 'Terminating' });
      const now = objectIn(await namespaces.get(name));
      const { resourceVersion, ...metadata } = now.metadata;
      expect(resourceVersion).not.toBe('');
      objectIn(await namespaces.put(name, { ...now, metadata, spec: { finalizers: [] } }, onFinalize));
      expectFailure(await namespaces.get(name), { code: 404, reason: 'NotFound' });
    },
  },
  {
    rule: 'the phase of a namespace follows its deletion, whatever a status write says',
    run: async ({ namespaces, namespace }) => {
      const merge = { status: { phase: 'Terminating' } };
      const refused = await namespaces.patch(namespace, { merge }, { subresource: 'status' });
      expectFailure(refused, { code: 422, reason: 'Invalid', fields: ['status.Phase'] });
    },
  },
  {
    rule: 'namespaces cannot be deleted as a collection',
    run: async ({ namespaces }) => {
      expectFailure(await namespaces.deleteAll(), { code: 405, reason: 'MethodNotAllowed' });
    },
  },
];
