/** Namespaces: creation, deletion, and writes during the deletion. */
import { expect } from 'vitest';
import type { Case } from '../case.ts';
import { expectFailure } from '../failure.ts';
import { asObject, objectIn } from '../kube-object.ts';
import { eventsUntil } from '../watching.ts';

const spec = { size: 1 };
const hold = 'contract.muster.dev/hold';

export const namespacesCases: readonly Case[] = [
  {
    rule: 'a namespace is Active, has the finalizer kubernetes in its spec and a label with its name',
    run: async ({ namespaces, namespace }) => {
      expect(objectIn(await namespaces.get(namespace))).toMatchObject({
        metadata: { labels: { 'kubernetes.io/metadata.name': namespace } },
        spec: { finalizers: ['kubernetes'] },
        status: { phase: 'Active' },
      });
    },
  },
  {
    rule: 'the label with the name of a namespace cannot be removed or changed',
    run: async ({ namespaces, namespace }) => {
      for (const value of [null, 'other']) {
        const merge = { metadata: { labels: { 'kubernetes.io/metadata.name': value, x: 'y' } } };
        const patched = objectIn(await namespaces.patch(namespace, { merge }));
        expect(patched.metadata.labels).toEqual({ 'kubernetes.io/metadata.name': namespace, x: 'y' });
      }
    },
  },
  {
    rule: 'the namespaces default and kube-system exist, and default cannot be deleted',
    run: async ({ namespaces }) => {
      objectIn(await namespaces.get('kube-system'));
      expectFailure(await namespaces.delete('default'), { code: 403, reason: 'Forbidden' });
      expect(objectIn(await namespaces.get('default'))).toMatchObject({ status: { phase: 'Active' } });
    },
  },
  {
    rule: 'a delete of a namespace answers with the namespace, Terminating',
    run: async ({ namespaces, namespace, widgets }) => {
      const held = { metadata: { finalizers: [hold] }, spec };
      objectIn(await widgets.post(widgets.draft('a', held)), 201);
      expect(objectIn(await namespaces.delete(namespace))).toMatchObject({
        kind: 'Namespace',
        metadata: { deletionTimestamp: expect.any(String) },
        status: { phase: 'Terminating' },
      });
      objectIn(await widgets.patch('a', { merge: { metadata: { finalizers: null } } }));
    },
  },
  {
    rule: 'nothing can be created in a namespace that is Terminating, for the cause NamespaceTerminating',
    run: async ({ namespaces, namespace, widgets, configMaps }) => {
      const held = { metadata: { finalizers: [hold] }, spec };
      objectIn(await widgets.post(widgets.draft('a', held)), 201);
      objectIn(await namespaces.delete(namespace));
      const refused = { code: 403, reason: 'Forbidden', causes: ['NamespaceTerminating'] };
      expectFailure(await widgets.post(widgets.draft('b', { spec })), refused);
      expectFailure(await configMaps.post(configMaps.draft('b')), refused);
      objectIn(await widgets.patch('a', { merge: { metadata: { finalizers: null } } }));
    },
  },
  {
    rule: 'objects in a Terminating namespace can still be changed',
    run: async ({ namespaces, namespace, widgets }) => {
      const held = { metadata: { finalizers: [hold] }, spec };
      objectIn(await widgets.post(widgets.draft('a', held)), 201);
      objectIn(await namespaces.delete(namespace));
      const patched = objectIn(await widgets.patch('a', { merge: { spec: { size: 2 } } }));
      expect(patched.spec).toMatchObject({ size: 2 });
      objectIn(await widgets.patch('a', { merge: { metadata: { finalizers: null } } }));
    },
  },
  {
    rule: 'a deleted namespace is emptied, and is removed when the last finalizer in it is gone',
    needs: ['namespaceController'],
    run: async ({ namespaces, namespace, widgets, secrets }) => {
      const held = { metadata: { finalizers: [hold] }, spec };
      const { resourceVersion } = objectIn(await widgets.post(widgets.draft('a', held)), 201).metadata;
      objectIn(await secrets.post(secrets.draft('s')), 201);
      const widgetWatch = await widgets.watch({ resourceVersion });
      const namespaceWatch = await namespaces.watch({ fieldSelector: `metadata.name=${namespace}` });
      objectIn(await namespaces.delete(namespace));
      const [marked] = await eventsUntil(widgetWatch, () => true);
      expect(asObject(marked?.object).metadata).toMatchObject({ deletionTimestamp: expect.any(String) });
      objectIn(await namespaces.get(namespace));
      objectIn(await widgets.patch('a', { merge: { metadata: { finalizers: null } } }));
      await eventsUntil(namespaceWatch, ({ type }) => type === 'DELETED');
      const missing = { code: 404, reason: 'NotFound' };
      expectFailure(await namespaces.get(namespace), missing);
      expectFailure(await widgets.get('a'), missing);
      expectFailure(await secrets.get('s'), missing);
    },
  },
];
