/** Pods: deletion waits for the kubelet, and lists support more field selectors. */
import { expect } from 'vitest';
import type { Case, Context } from '../case.ts';
import { expectFailure } from '../failure.ts';
import { namesIn, objectIn, type KubeObject } from '../kube-object.ts';

export const podsCases: readonly Case[] = [
  {
    rule: 'a deleted Pod on a Node is marked with its grace period, and removed by a delete with grace period zero',
    run: async (context) => {
      const { pods } = context;
      await createPod(context, { name: 'a', nodeName: 'mac' });
      const marked = objectIn(await pods.delete('a', { options: { gracePeriodSeconds: 20 } }));
      expect(marked.metadata).toMatchObject({
        deletionTimestamp: expect.any(String),
        deletionGracePeriodSeconds: 20,
      });
      expect(objectIn(await pods.get('a'))).toEqual(marked);
      const gone = objectIn(await pods.delete('a', { options: { gracePeriodSeconds: 0 } }));
      expect(gone).toMatchObject({ kind: 'Pod', metadata: { name: 'a' } });
      expectFailure(await pods.get('a'), { code: 404, reason: 'NotFound' });
    },
  },
  {
    rule: 'a Pod within its grace period can still be written to, and stays',
    run: async (context) => {
      const { pods } = context;
      await createPod(context, { name: 'a', nodeName: 'mac' });
      objectIn(await pods.delete('a', { options: { gracePeriodSeconds: 20 } }));
      objectIn(await pods.patch('a', { merge: { metadata: { labels: { said: 'more' } } } }));
      const merge = { status: { phase: 'Running' } };
      objectIn(await pods.patch('a', { merge }, { subresource: 'status' }));
      expect(objectIn(await pods.get('a'))).toMatchObject({
        metadata: { labels: { said: 'more' }, deletionGracePeriodSeconds: 20 },
        status: { phase: 'Running' },
      });
    },
  },
  {
    rule: 'a grace period can be made shorter and never longer',
    run: async (context) => {
      const { pods } = context;
      await createPod(context, { name: 'a', nodeName: 'mac' });
      objectIn(await pods.delete('a', { options: { gracePeriodSeconds: 20 } }));
      const longer = objectIn(await pods.delete('a', { options: { gracePeriodSeconds: 60 } }));
      expect(longer.metadata.deletionGracePeriodSeconds).toBe(20);
      const shorter = objectIn(await pods.delete('a', { options: { gracePeriodSeconds: 5 } }));
      expect(shorter.metadata.deletionGracePeriodSeconds).toBe(5);
    },
  },
  {
    rule: 'an unscheduled Pod is removed at once',
    run: async (context) => {
      const { pods } = context;
      await createPod(context, { name: 'a' });
      expect(objectIn(await pods.delete('a'))).toMatchObject({ kind: 'Pod', metadata: { name: 'a' } });
      expectFailure(await pods.get('a'), { code: 404, reason: 'NotFound' });
    },
  },
  {
    rule: 'Pods are selected by Node and by phase',
    run: async (context) => {
      const { pods } = context;
      await createPod(context, { name: 'a', nodeName: 'mac' });
      await createPod(context, { name: 'b', nodeName: 'linux' });
      await createPod(context, { name: 'c' });
      const merge = { status: { phase: 'Running' } };
      objectIn(await pods.patch('b', { merge }, { subresource: 'status' }));
      expect(namesIn(await pods.list({ fieldSelector: 'spec.nodeName=mac' }))).toEqual(['a']);
      expect(namesIn(await pods.list({ fieldSelector: 'spec.nodeName=' }))).toEqual(['c']);
      expect(namesIn(await pods.list({ fieldSelector: 'status.phase=Running' }))).toEqual(['b']);
      expect(namesIn(await pods.list({ fieldSelector: 'status.phase!=Running' }))).toEqual(['a', 'c']);
    },
  },
  {
    rule: 'a new Pod is Pending, whatever status the create has',
    run: async (context) => {
      const created = await createPod(context, { name: 'a', status: { phase: 'Running' } });
      expect(created.status).toMatchObject({ phase: 'Pending' });
    },
  },
  {
    rule: 'the containers of a Pod cannot be replaced',
    run: async (context) => {
      const created = await createPod(context, { name: 'a' });
      const { pods } = context;
      const refused = await pods.patch('a', { merge: { spec: { hostname: 'other' } } });
      expectFailure(refused, { code: 422, reason: 'Invalid', fields: ['spec'] });
      expect(objectIn(await pods.get('a'))).toEqual(created);
    },
  },
  {
    rule: 'a scheduling gate of a Pod can be removed, and none added',
    run: async (context) => {
      const { pods } = context;
      await createPod(context, {
        name: 'a',
        spec: { schedulingGates: [{ name: 'b.c/d' }, { name: 'e.f/g' }] },
      });
      const gates = (...names: readonly string[]) => ({
        merge: { spec: { schedulingGates: names.map((name) => ({ name })) } },
      });
      objectIn(await pods.patch('a', gates('e.f/g')));
      expectFailure(await pods.patch('a', gates('e.f/g', 'h.i/j')), {
        code: 422,
        reason: 'Invalid',
        fields: ['spec.schedulingGates[1].name'],
      });
    },
  },
];

interface PodOrder {
  readonly name: string;
  readonly nodeName?: string;
  readonly status?: unknown;
  readonly spec?: object;
}

/** Uses its own ServiceAccount: the default account comes from a controller, some time after the namespace. */
async function createPod({ pods, serviceAccounts }: Context, order: PodOrder): Promise<KubeObject> {
  const { name, nodeName, status, spec: more } = order;
  objectIn(await serviceAccounts.post(serviceAccounts.draft(name)), 201);
  const spec = {
    serviceAccountName: name,
    automountServiceAccountToken: false,
    containers: [{ name: 'main', image: 'none' }],
    ...(nodeName !== undefined && { nodeName }),
    ...more,
  };
  return objectIn(await pods.post(pods.draft(name, { spec, status })), 201);
}
