/** kubectl delete: finalizers, owners and dependents, whole namespaces. */
import { expect } from 'vitest';
import { configMap, documents, shelf, type Flow, type Fixture } from './flow.ts';

const finalizer = 'flows.muster.dev/hold';

/** A shelf, and a ConfigMap that the shelf owns. */
async function createOwned({ kubectl }: Fixture, held: boolean): Promise<void> {
  await kubectl.feed(documents(shelf('owner')), 'create', '-f', '-');
  const uid = await kubectl.ok('get', 'sh', 'owner', '-o', 'jsonpath={.metadata.uid}');
  const owner = {
    apiVersion: 'flows.muster.dev/v1',
    kind: 'Shelf',
    name: 'owner',
    uid,
    blockOwnerDeletion: true,
  };
  const metadata = { name: 'owned', ownerReferences: [owner], ...(held && { finalizers: [finalizer] }) };
  await kubectl.feed(documents(configMap('owned', { metadata })), 'create', '-f', '-');
}

const noFinalizers = '{"metadata":{"finalizers":null}}';

export const deletingFlows: readonly Flow[] = [
  {
    flow: 'an object with a finalizer is kept until the finalizer is removed',
    run: async ({ kubectl }) => {
      await kubectl.feed(documents(shelf('a', {}, { finalizers: [finalizer] })), 'create', '-f', '-');
      await kubectl.ok('delete', 'sh', 'a', '--wait=false');
      expect(await kubectl.json('get', 'sh', 'a')).toMatchObject({
        metadata: { deletionTimestamp: expect.any(String), finalizers: [finalizer] },
      });
      await kubectl.ok('patch', 'sh', 'a', '--type=merge', '-p', noFinalizers);
      expect(await kubectl.refused('get', 'sh', 'a')).toContain('NotFound');
    },
  },
  {
    flow: 'delete also deletes the dependents of the object',
    run: async (fixture) => {
      await createOwned(fixture, false);
      await fixture.kubectl.ok('delete', 'sh', 'owner');
      await fixture.kubectl.ok('wait', 'cm/owned', '--for=delete', '--timeout=60s');
    },
  },
  {
    flow: 'delete --cascade=orphan keeps the dependents without an owner',
    run: async (fixture) => {
      await createOwned(fixture, false);
      await fixture.kubectl.ok('delete', 'sh', 'owner', '--cascade=orphan');
      const { metadata } = Object(await fixture.kubectl.json('get', 'cm', 'owned'));
      expect(metadata).not.toHaveProperty('ownerReferences');
    },
  },
  {
    flow: 'delete --cascade=foreground keeps the object until its dependents are gone',
    run: async (fixture) => {
      const { kubectl } = fixture;
      await createOwned(fixture, true);
      const deleting = kubectl.ok('delete', 'sh', 'owner', '--cascade=foreground');
      await kubectl.ok('wait', 'cm/owned', '--for=jsonpath={.metadata.deletionTimestamp}', '--timeout=60s');
      expect(await kubectl.json('get', 'sh', 'owner')).toMatchObject({
        metadata: { finalizers: ['foregroundDeletion'] },
      });
      await kubectl.ok('patch', 'cm', 'owned', '--type=merge', '-p', noFinalizers);
      expect(await deleting).toContain('deleted');
      expect(await kubectl.refused('get', 'sh', 'owner')).toContain('NotFound');
    },
  },
  {
    flow: 'delete by label and of all deletes only the selected objects',
    run: async ({ kubectl }) => {
      const labelled = ['a', 'b'].map((name) => shelf(name, {}, { labels: { old: 'yes' } }));
      await kubectl.feed(documents(...labelled, shelf('c'), configMap('d')), 'create', '-f', '-');
      await kubectl.ok('delete', 'sh', '-l', 'old=yes');
      expect(await kubectl.ok('get', 'sh', '-o', 'name')).toBe('shelf.flows.muster.dev/c');
      await kubectl.ok('delete', 'sh', '--all');
      expect(await kubectl.ok('get', 'sh,cm', '-o', 'name', '--field-selector=metadata.name=d')).toBe(
        'configmap/d',
      );
      expect(await kubectl.ok('get', 'sh', '-o', 'name')).toBe('');
    },
  },
  {
    flow: 'a namespace is deleted with its objects, and waits for finalizers',
    run: async ({ kubectl, namespace }) => {
      const name = `${namespace}-short`;
      const inside = kubectl.with('-n', name);
      await kubectl.ok('create', 'namespace', name);
      const held = shelf('held', {}, { finalizers: [finalizer] });
      await inside.feed(documents(configMap('a'), held), 'create', '-f', '-');
      await kubectl.ok('delete', 'namespace', name, '--wait=false');
      await inside.ok('wait', 'cm/a', '--for=delete', '--timeout=60s');
      expect(await kubectl.ok('get', 'namespace', name, '-o', 'jsonpath={.status.phase}')).toBe(
        'Terminating',
      );
      expect(await inside.refusedFeed(documents(configMap('late')), 'create', '-f', '-')).toContain(
        'being terminated',
      );
      await inside.ok('patch', 'sh', 'held', '--type=merge', '-p', noFinalizers);
      await kubectl.ok('wait', `namespace/${name}`, '--for=delete', '--timeout=60s');
    },
  },
];
