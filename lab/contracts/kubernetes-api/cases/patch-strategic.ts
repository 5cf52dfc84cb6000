/** Strategic merge patches, for built-in kinds only. */
import { expect } from 'vitest';
import type { Case, Context } from '../case.ts';
import { objectIn, type KubeObject } from '../kube-object.ts';

async function createPod({ pods, serviceAccounts }: Context): Promise<KubeObject> {
  objectIn(await serviceAccounts.post(serviceAccounts.draft('a')), 201);
  const containers = [
    { name: 'one', image: 'first' },
    { name: 'two', image: 'second' },
  ];
  const spec = { serviceAccountName: 'a', automountServiceAccountToken: false, containers };
  return objectIn(await pods.post(pods.draft('a', { spec })), 201);
}

/** The items of a list that have a name, as `name=image`. */
function images({ spec }: KubeObject): readonly string[] {
  const containers: unknown = Reflect.get(Object(spec), 'containers');
  return (Array.isArray(containers) ? containers : []).map(
    (one) => `${Reflect.get(one, 'name')}=${Reflect.get(one, 'image')}`,
  );
}

export const patchStrategicCases: readonly Case[] = [
  {
    rule: 'a strategic merge patch merges maps, and null removes a key',
    run: async ({ configMaps }) => {
      objectIn(await configMaps.post(configMaps.draft('a', { data: { x: '1', y: '2' } })), 201);
      const patched = objectIn(await configMaps.patch('a', { strategic: { data: { y: null, z: '3' } } }));
      expect(patched).toMatchObject({ data: { x: '1', z: '3' } });
      expect(patched).not.toHaveProperty('data.y');
    },
  },
  {
    rule: 'the directive replace in a strategic merge patch replaces an object',
    run: async ({ configMaps }) => {
      objectIn(await configMaps.post(configMaps.draft('a', { data: { x: '1' } })), 201);
      const patched = objectIn(
        await configMaps.patch('a', { strategic: { data: { $patch: 'replace', z: '3' } } }),
      );
      expect(Reflect.get(patched, 'data')).toEqual({ z: '3' });
    },
  },
  {
    rule: 'a strategic merge patch merges a list by the key of its items, and keeps the other items',
    run: async (context) => {
      await createPod(context);
      const patched = await context.pods.patch('a', {
        strategic: { spec: { containers: [{ name: 'two', image: 'newer' }] } },
      });
      expect(images(objectIn(patched))).toEqual(['one=first', 'two=newer']);
    },
  },
  {
    rule: 'an item without the key of its list is refused in a strategic merge patch',
    run: async (context) => {
      const created = await createPod(context);
      const refused = await context.pods.patch('a', {
        strategic: { spec: { containers: [{ image: 'newer' }] } },
      });
      expect(refused.status).toBeGreaterThanOrEqual(400);
      expect(images(objectIn(await context.pods.get('a')))).toEqual(images(created));
    },
  },
  {
    rule: 'finalizers are merged by a strategic merge patch, and removed by name',
    run: async ({ configMaps }) => {
      objectIn(
        await configMaps.post(configMaps.draft('a', { metadata: { finalizers: ['contract.muster.dev/a'] } })),
        201,
      );
      const add = { metadata: { finalizers: ['contract.muster.dev/b'] } };
      const added = objectIn(await configMaps.patch('a', { strategic: add }));
      expect([...(added.metadata.finalizers ?? [])].toSorted()).toEqual([
        'contract.muster.dev/a',
        'contract.muster.dev/b',
      ]);
      const drop = {
        metadata: {
          '$deleteFromPrimitiveList/finalizers': ['contract.muster.dev/a', 'contract.muster.dev/b'],
        },
      };
      const dropped = objectIn(await configMaps.patch('a', { strategic: drop }));
      expect(dropped.metadata).not.toHaveProperty('finalizers');
    },
  },
  {
    rule: 'conditions are merged by their type in a strategic merge patch of a status',
    run: async ({ nodes, suffix }) => {
      const name = `node-${suffix}`;
      const conditions = [
        { type: 'Ready', status: 'True' },
        { type: 'DiskPressure', status: 'False' },
      ];
      objectIn(await nodes.post(nodes.draft(name, { status: { conditions } })), 201);
      const strategic = {
        status: {
          conditions: [
            { type: 'Ready', status: 'False' },
            { type: 'DiskPressure', $patch: 'delete' },
          ],
        },
      };
      const patched = objectIn(await nodes.patch(name, { strategic }, { subresource: 'status' }));
      const left: unknown = Reflect.get(Object(patched.status), 'conditions');
      expect(left).toEqual([expect.objectContaining({ type: 'Ready', status: 'False' })]);
    },
  },
  {
    rule: 'a new list is stored as given by a strategic patch, duplicate items included',
    run: async ({ configMaps }) => {
      objectIn(await configMaps.post(configMaps.draft('a')), 201);
      const finalizers = ['example.com/a', 'example.com/a'];
      const patched = objectIn(await configMaps.patch('a', { strategic: { metadata: { finalizers } } }));
      expect(patched.metadata.finalizers).toEqual(finalizers);
    },
  },
];
