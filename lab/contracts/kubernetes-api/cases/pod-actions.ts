/** Binding and eviction of Pods. */
import { expect } from 'vitest';
import type { Case, Context } from '../case.ts';
import { expectFailure } from '../failure.ts';
import { objectIn, type KubeObject } from '../kube-object.ts';
import type { Response } from '../target.ts';

async function createPod({ pods, serviceAccounts }: Context, more: object = {}): Promise<KubeObject> {
  objectIn(await serviceAccounts.post(serviceAccounts.draft('robot')), 201);
  const containers = [{ name: 'main', image: 'none' }];
  const spec = { serviceAccountName: 'robot', automountServiceAccountToken: false, containers, ...more };
  return objectIn(await pods.post(pods.draft('a', { spec })), 201);
}

function bind(
  { target, pods }: Context,
  target_: object,
  metadata: object = { name: 'a' },
): Promise<Response> {
  const body = { apiVersion: 'v1', kind: 'Binding', metadata, target: target_ };
  return target.request({ method: 'POST', path: pods.path('a', 'binding'), body });
}

function evict({ target, pods }: Context, more: object = {}, name = 'a'): Promise<Response> {
  const body = { apiVersion: 'policy/v1', kind: 'Eviction', metadata: { name }, ...more };
  return target.request({ method: 'POST', path: pods.path('a', 'eviction'), body });
}

const done = { status: 201, body: { kind: 'Status', status: 'Success', code: 201 } };
const conflict = { code: 409, reason: 'Conflict' } as const;

export const podActionsCases: readonly Case[] = [
  {
    rule: 'a binding assigns a Pod to a Node and sets the condition PodScheduled',
    run: async (context) => {
      const before = await createPod(context);
      const annotations = { 'example.com/why': 'room' };
      expect(await bind(context, { kind: 'Node', name: 'mac' }, { name: 'a', annotations })).toMatchObject(
        done,
      );
      const pod = objectIn(await context.pods.get('a'));
      expect(pod).toMatchObject({
        metadata: { annotations, generation: before.metadata.generation },
        spec: { nodeName: 'mac' },
        status: { conditions: [{ type: 'PodScheduled', status: 'True' }] },
      });
    },
  },
  {
    rule: 'a bound Pod is not bound again',
    run: async (context) => {
      await createPod(context);
      expect(await bind(context, { kind: 'Node', name: 'mac' })).toMatchObject(done);
      expectFailure(await bind(context, { kind: 'Node', name: 'other' }), conflict);
    },
  },
  {
    rule: 'a binding that names no Node binds nothing',
    run: async (context) => {
      const before = await createPod(context);
      for (const nothing of [
        { kind: 'Node', name: '' },
        { kind: 'Pod', name: 'mac' },
      ])
        expect((await bind(context, nothing)).status).toBeGreaterThanOrEqual(400);
      expect(objectIn(await context.pods.get('a'))).toEqual(before);
    },
  },
  {
    rule: 'a binding for another Pod of the same name is refused',
    run: async (context) => {
      await createPod(context);
      const metadata = { name: 'a', uid: '00000000-0000-0000-0000-000000000000' };
      expectFailure(await bind(context, { kind: 'Node', name: 'mac' }, metadata), conflict);
    },
  },
  {
    rule: 'an eviction deletes the Pod like a deletion',
    run: async (context) => {
      const { pods } = context;
      await createPod(context, { nodeName: 'mac' });
      expect(await evict(context, { deleteOptions: { gracePeriodSeconds: 7 } })).toMatchObject(done);
      expect(objectIn(await pods.get('a')).metadata).toMatchObject({
        deletionTimestamp: expect.any(String),
        deletionGracePeriodSeconds: 7,
      });
      expect(await evict(context, { deleteOptions: { gracePeriodSeconds: 0 } })).toMatchObject(done);
      expectFailure(await pods.get('a'), { code: 404, reason: 'NotFound' });
    },
  },
  {
    rule: 'an eviction checks the preconditions of its delete options',
    run: async (context) => {
      await createPod(context);
      const preconditions = { uid: '00000000-0000-0000-0000-000000000000' };
      expectFailure(await evict(context, { deleteOptions: { preconditions } }), conflict);
      expectFailure(await evict(context, {}, 'b'), { code: 400, reason: 'BadRequest' });
      objectIn(await context.pods.get('a'));
    },
  },
  {
    rule: 'an action subresource accepts POST and nothing else',
    run: async (context) => {
      const { target, pods, serviceAccounts } = context;
      await createPod(context);
      for (const path of [
        pods.path('a', 'binding'),
        pods.path('a', 'eviction'),
        serviceAccounts.path('robot', 'token'),
      ])
        expectFailure(await target.request({ method: 'GET', path }), {
          code: 405,
          reason: 'MethodNotAllowed',
        });
    },
  },
  {
    rule: 'a Pod that is being deleted is not bound',
    run: async (context) => {
      const { pods } = context;
      await createPod(context);
      objectIn(await pods.patch('a', { merge: { metadata: { finalizers: ['example.com/held'] } } }));
      objectIn(await pods.delete('a'));
      expectFailure(await bind(context, { kind: 'Node', name: 'mac' }), conflict);
    },
  },
];
