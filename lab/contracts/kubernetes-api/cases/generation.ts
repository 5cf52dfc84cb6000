/** When the generation of an object increases. */
import { expect } from 'vitest';
import type { Case } from '../case.ts';
import { objectIn } from '../kube-object.ts';

const spec = { size: 1 };

export const generationCases: readonly Case[] = [
  {
    rule: 'a custom resource starts at generation 1, and a change of its spec adds one',
    run: async ({ widgets }) => {
      const created = objectIn(await widgets.post(widgets.draft('a', { spec })), 201);
      const updated = objectIn(await widgets.put('a', { ...created, spec: { size: 2 } }));
      const patched = objectIn(await widgets.patch('a', { merge: { spec: { size: 3 } } }));
      expect([created, updated, patched].map(({ metadata }) => metadata.generation)).toEqual([1, 2, 3]);
    },
  },
  {
    rule: 'labels, annotations, finalizers and owners do not change the generation',
    run: async ({ widgets }) => {
      const { metadata } = objectIn(await widgets.post(widgets.draft('a', { spec })), 201);
      const merge = {
        metadata: {
          labels: { a: '1' },
          annotations: { b: '2' },
          finalizers: ['contract.muster.dev/hold'],
          ownerReferences: [{ apiVersion: 'v1', kind: 'ConfigMap', name: 'o', uid: metadata.uid }],
        },
      };
      expect(objectIn(await widgets.patch('a', { merge })).metadata).toMatchObject({
        ...merge.metadata,
        generation: 1,
      });
      objectIn(
        await widgets.patch('a', { merge: { metadata: { finalizers: null, ownerReferences: null } } }),
      );
    },
  },
  {
    rule: 'a status update does not change the generation',
    run: async ({ widgets }) => {
      const created = objectIn(await widgets.post(widgets.draft('a', { spec })), 201);
      const status = { phase: 'Up' };
      const updated = objectIn(await widgets.put('a', { ...created, status }, { subresource: 'status' }));
      expect(updated).toMatchObject({ status, metadata: { generation: 1 } });
    },
  },
  {
    rule: 'without a status subresource a change of the status increases the generation',
    run: async ({ gadgets }) => {
      const created = objectIn(
        await gadgets.post(gadgets.draft('a', { spec, status: { phase: 'Up' } })),
        201,
      );
      expect(created).toMatchObject({ status: { phase: 'Up' }, metadata: { generation: 1 } });
      const updated = objectIn(await gadgets.put('a', { ...created, status: { phase: 'Down' } }));
      expect(updated).toMatchObject({ status: { phase: 'Down' }, metadata: { generation: 2 } });
    },
  },
  {
    rule: 'the start of a deletion adds one to the generation of a custom resource',
    run: async ({ widgets }) => {
      const metadata = { finalizers: ['contract.muster.dev/hold'] };
      objectIn(await widgets.post(widgets.draft('a', { metadata, spec })), 201);
      expect(objectIn(await widgets.delete('a')).metadata.generation).toBe(2);
    },
  },
  {
    rule: 'ConfigMaps, Secrets, Namespaces, Nodes and Leases have no generation',
    run: async ({ configMaps, secrets, namespaces, nodes, leases, namespace, suffix }) => {
      const objects = [
        objectIn(await configMaps.post(configMaps.draft('a')), 201),
        objectIn(await secrets.post(secrets.draft('a')), 201),
        objectIn(await leases.post(leases.draft('a')), 201),
        objectIn(await namespaces.get(namespace)),
        objectIn(await nodes.post(nodes.draft(`node-${suffix}`)), 201),
      ];
      for (const { metadata } of objects) expect(metadata).not.toHaveProperty('generation');
    },
  },
  {
    rule: 'a scale that changes the replicas adds one to the generation',
    run: async ({ widgets }) => {
      objectIn(await widgets.post(widgets.draft('a', { spec })), 201);
      objectIn(await widgets.patch('a', { merge: { spec: { replicas: 4 } } }, { subresource: 'scale' }));
      expect(objectIn(await widgets.get('a'))).toMatchObject({
        spec: { replicas: 4 },
        metadata: { generation: 2 },
      });
    },
  },
];
