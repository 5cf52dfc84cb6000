/** Owners and dependents: what the garbage collector deletes, under each deletion policy. */
import { expect } from 'vitest';
import type { Case } from '../case.ts';
import { expectFailure } from '../failure.ts';
import { asObject, objectIn, type KubeObject } from '../kube-object.ts';
import type { WatchHandle } from '../target.ts';
import { eventsUntil } from '../watching.ts';

const spec = { size: 1 };
const needs = ['garbageCollector'] as const;

interface OwnerReference {
  readonly apiVersion: string | undefined;
  readonly kind: string | undefined;
  readonly name: string;
  readonly uid: string;
  readonly blockOwnerDeletion?: boolean;
}

function referenceTo({ apiVersion, kind, metadata: { name, uid } }: KubeObject): OwnerReference {
  return { apiVersion, kind, name, uid };
}

async function untilDeleted(watch: WatchHandle, name: string): Promise<void> {
  await eventsUntil(watch, ({ type, object }) => type === 'DELETED' && object.metadata.name === name);
}

export const garbageCollectionCases: readonly Case[] = [
  {
    rule: 'a dependent is deleted after its owner',
    needs,
    run: async ({ configMaps, secrets }) => {
      const owner = objectIn(await configMaps.post(configMaps.draft('owner')), 201);
      const metadata = { ownerReferences: [referenceTo(owner)] };
      objectIn(await secrets.post(secrets.draft('a', { metadata })), 201);
      const watch = await secrets.watch();
      expect(await configMaps.delete('owner')).toMatchObject({ body: { status: 'Success' } });
      await untilDeleted(watch, 'a');
    },
  },
  {
    rule: 'a dependent of a missing owner is deleted',
    needs,
    run: async ({ configMaps, secrets }) => {
      const owner = objectIn(await configMaps.post(configMaps.draft('owner')), 201);
      const uid = '11111111-2222-4333-8444-555555555555';
      const metadata = { ownerReferences: [{ ...referenceTo(owner), uid }] };
      const watch = await secrets.watch();
      objectIn(await secrets.post(secrets.draft('a', { metadata })), 201);
      await untilDeleted(watch, 'a');
    },
  },
  {
    rule: 'a dependent of two owners stays when one owner is deleted, and loses that reference',
    needs,
    run: async ({ configMaps, secrets }) => {
      const first = objectIn(await configMaps.post(configMaps.draft('first')), 201);
      const second = objectIn(await configMaps.post(configMaps.draft('second')), 201);
      const metadata = { ownerReferences: [referenceTo(first), referenceTo(second)] };
      objectIn(await secrets.post(secrets.draft('a', { metadata })), 201);
      const watch = await secrets.watch();
      expect(await configMaps.delete('first')).toMatchObject({ status: 200 });
      const events = await eventsUntil(watch, ({ type }) => type !== 'ADDED');
      expect(events.at(-1)?.type).toBe('MODIFIED');
      expect(asObject(events.at(-1)?.object).metadata.ownerReferences).toEqual([referenceTo(second)]);
    },
  },
  {
    rule: 'a dependent of an owner deleted with Orphan stays and loses the reference',
    needs,
    run: async ({ configMaps, secrets }) => {
      const owner = objectIn(await configMaps.post(configMaps.draft('owner')), 201);
      const metadata = { ownerReferences: [referenceTo(owner)] };
      objectIn(await secrets.post(secrets.draft('a', { metadata })), 201);
      const watch = await secrets.watch();
      const owners = await configMaps.watch({ fieldSelector: 'metadata.name=owner' });
      const marked = objectIn(await configMaps.delete('owner', { options: { propagationPolicy: 'Orphan' } }));
      expect(marked.metadata.finalizers).toEqual(['orphan']);
      const events = await eventsUntil(watch, ({ type }) => type !== 'ADDED');
      expect(events.at(-1)?.type).toBe('MODIFIED');
      expect(asObject(events.at(-1)?.object).metadata).not.toHaveProperty('ownerReferences');
      await untilDeleted(owners, 'owner');
    },
  },
  {
    rule: 'an owner deleted in the foreground waits for the dependents that block it',
    needs,
    run: async ({ configMaps, secrets }) => {
      const owner = objectIn(await configMaps.post(configMaps.draft('owner')), 201);
      const held = {
        ownerReferences: [{ ...referenceTo(owner), blockOwnerDeletion: true }],
        finalizers: ['contract.muster.dev/hold'],
      };
      objectIn(await secrets.post(secrets.draft('a', { metadata: held })), 201);
      const watch = await secrets.watch();
      const owners = await configMaps.watch({ fieldSelector: 'metadata.name=owner' });
      const options = { propagationPolicy: 'Foreground' };
      const marked = objectIn(await configMaps.delete('owner', { options }));
      expect(marked.metadata).toMatchObject({
        finalizers: ['foregroundDeletion'],
        deletionTimestamp: expect.any(String),
      });
      await eventsUntil(watch, ({ object }) => object.metadata.deletionTimestamp !== undefined);
      objectIn(await configMaps.get('owner'));
      objectIn(await secrets.patch('a', { merge: { metadata: { finalizers: null } } }));
      await untilDeleted(watch, 'a');
      await untilDeleted(owners, 'owner');
    },
  },
  {
    rule: 'an owner deleted in the foreground does not wait for a dependent that does not block it',
    needs,
    run: async ({ configMaps, secrets }) => {
      const owner = objectIn(await configMaps.post(configMaps.draft('owner')), 201);
      const metadata = {
        ownerReferences: [referenceTo(owner)],
        finalizers: ['contract.muster.dev/hold'],
      };
      objectIn(await secrets.post(secrets.draft('a', { metadata })), 201);
      const owners = await configMaps.watch({ fieldSelector: 'metadata.name=owner' });
      objectIn(await configMaps.delete('owner', { options: { propagationPolicy: 'Foreground' } }));
      await untilDeleted(owners, 'owner');
      objectIn(await secrets.patch('a', { merge: { metadata: { finalizers: null } } }));
    },
  },
  {
    rule: 'owners in a cycle are deleted when one of them is deleted in the foreground',
    needs,
    run: async ({ configMaps }) => {
      for (const names of [
        ['a', 'b'],
        ['c', 'd', 'e'],
      ]) {
        const made = new Map<string, ReturnType<typeof objectIn>>();
        for (const name of names)
          made.set(name, objectIn(await configMaps.post(configMaps.draft(name)), 201));
        const watch = await configMaps.watch();
        for (const [index, name] of names.entries()) {
          const owner = made.get(names.at(index - 1) ?? '');
          if (owner === undefined) throw new Error('each has an owner');
          const ownerReferences = [{ ...referenceTo(owner), blockOwnerDeletion: true }];
          objectIn(await configMaps.patch(name, { merge: { metadata: { ownerReferences } } }));
        }
        objectIn(await configMaps.delete(names[0] ?? '', { options: { propagationPolicy: 'Foreground' } }));
        const left = new Set(names);
        await eventsUntil(watch, ({ type, object }) => {
          if (type === 'DELETED') left.delete(object.metadata.name);
          return left.size === 0;
        });
        await watch.close();
      }
    },
  },
  {
    rule: 'an owner deleted in the foreground does not wait for a dependent with another owner',
    needs,
    run: async ({ configMaps, secrets }) => {
      const made = [];
      for (const name of ['going', 'staying'])
        made.push(objectIn(await configMaps.post(configMaps.draft(name)), 201));
      const ownerReferences = made.map((owner) => ({ ...referenceTo(owner), blockOwnerDeletion: true }));
      objectIn(await secrets.post(secrets.draft('a', { metadata: { ownerReferences } })), 201);
      const watch = await configMaps.watch();
      objectIn(await configMaps.delete('going', { options: { propagationPolicy: 'Foreground' } }));
      await untilDeleted(watch, 'going');
      const kept = objectIn(await secrets.get('a'));
      expect(kept.metadata['ownerReferences']).toEqual(ownerReferences.slice(1));
    },
  },
  {
    rule: 'a second delete with another policy replaces the finalizer of the first',
    run: async ({ widgets }) => {
      const hold = 'contract.muster.dev/hold';
      objectIn(await widgets.post(widgets.draft('a', { metadata: { finalizers: [hold] }, spec })), 201);
      const plain = objectIn(await widgets.delete('a'));
      expect(plain.metadata.finalizers).toEqual([hold]);
      const orphan = objectIn(await widgets.delete('a', { options: { propagationPolicy: 'Orphan' } }));
      expect(orphan.metadata.finalizers).toContain('orphan');
      objectIn(await widgets.patch('a', { merge: { metadata: { finalizers: null } } }));
    },
  },
  {
    rule: 'an owner reference needs apiVersion, kind, name and uid',
    run: async ({ widgets, secrets }) => {
      const metadata = { ownerReferences: [{ apiVersion: '', kind: '', name: '', uid: '' }] };
      const fields = ['apiVersion', 'kind', 'name', 'uid'].map(
        (field) => `metadata.ownerReferences.${field}`,
      );
      const invalid = { code: 422, reason: 'Invalid', fields };
      expectFailure(await widgets.post(widgets.draft('a', { metadata, spec })), invalid);
      expectFailure(await secrets.post(secrets.draft('a', { metadata })), invalid);
    },
  },
  {
    rule: 'an object has at most one controller',
    run: async ({ configMaps, secrets }) => {
      const owners = [];
      for (const name of ['first', 'second']) {
        const owner = objectIn(await configMaps.post(configMaps.draft(name)), 201);
        owners.push({ ...referenceTo(owner), controller: true });
      }
      const refused = await secrets.post(secrets.draft('a', { metadata: { ownerReferences: owners } }));
      expectFailure(refused, { code: 422, reason: 'Invalid', fields: ['metadata.ownerReferences'] });
    },
  },
];
