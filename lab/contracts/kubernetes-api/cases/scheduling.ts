/** Scheduling. These cases have their own Nodes, and Pods that fit on no other Node. */
import { expect } from 'vitest';
import type { Case, Context } from '../case.ts';
import { objectIn, type KubeObject } from '../kube-object.ts';
import { untilAnswer } from '../until.ts';

interface NodeOrder {
  readonly labels?: Readonly<Record<string, string>>;
  readonly spec?: object;
  readonly allocatable?: Readonly<Record<string, string>>;
}

/** The scheduler of the real server sees only Nodes without the not-ready taint. */
async function createNode({ nodes, suffix }: Context, name: string, order: NodeOrder = {}): Promise<string> {
  const { labels, spec, allocatable = {} } = order;
  const full = `${name}-${suffix}`;
  const amounts = { cpu: '4', memory: '8Gi', pods: '10', ...allocatable };
  const draft = nodes.draft(full, {
    metadata: { labels: { case: suffix, 'kubernetes.io/hostname': full, ...labels } },
    spec: spec ?? {},
    status: { capacity: amounts, allocatable: amounts, conditions: [{ type: 'Ready', status: 'True' }] },
  });
  objectIn(await nodes.post(draft), 201);
  return settled({ nodes }, full, spec);
}

/**
 * Creates a Node that the scheduler knows, proven by a Pod that can run nowhere else. The scheduler reads Nodes and
 * Pods through two informers, and would otherwise choose among the Nodes known at the arrival of the Pod.
 */
async function createKnownNode(context: Context, name: string, order: NodeOrder = {}): Promise<string> {
  const full = await createNode(context, name, order);
  const first = `first-of-${name}`;
  await createPod(context, first, { nodeSelector: { 'kubernetes.io/hostname': full } });
  await untilPlaced(context, first);
  return full;
}

/** A real server taints a new Node as not ready; without a node controller only this function removes the taint. */
async function settled({ nodes }: Pick<Context, 'nodes'>, name: string, spec: object = {}): Promise<string> {
  const taints = 'taints' in spec ? spec.taints : null;
  objectIn(await nodes.patch(name, { merge: { spec: { taints } } }));
  return name;
}

async function createPod(
  { pods, serviceAccounts, suffix }: Context,
  name: string,
  spec: { readonly requests?: object; readonly [field: string]: unknown } = {},
): Promise<KubeObject> {
  const { requests, nodeSelector, ...rest } = spec;
  await serviceAccounts.post(serviceAccounts.draft('robot'));
  const full = {
    serviceAccountName: 'robot',
    automountServiceAccountToken: false,
    containers: [{ name: 'main', image: 'none', ...(requests !== undefined && { resources: { requests } }) }],
    nodeSelector: { case: suffix, ...(typeof nodeSelector === 'object' && nodeSelector) },
    ...rest,
  };
  return objectIn(await pods.post(pods.draft(name, { spec: full })), 201);
}

function nodeOf(pod: KubeObject): unknown {
  const { spec } = pod;
  return typeof spec === 'object' && spec !== null && 'nodeName' in spec ? spec.nodeName : undefined;
}

async function untilPlaced({ pods }: Context, name: string): Promise<unknown> {
  const answer = await untilAnswer(
    () => pods.get(name),
    (one) => one.status === 200 && nodeOf(objectIn(one)) !== undefined,
  );
  return nodeOf(objectIn(answer));
}

/** Waits until the Pod is reported as unschedulable. */
async function untilRefused({ pods }: Context, name: string): Promise<KubeObject> {
  const answer = await untilAnswer(
    () => pods.get(name),
    (one) => JSON.stringify(one.body).includes('"reason":"Unschedulable"'),
  );
  return objectIn(answer);
}

export const schedulingCases: readonly Case[] = [
  {
    rule: 'a Pod is bound to the Node of its selector, with the condition PodScheduled',
    run: async (context) => {
      await createNode(context, 'linux', { labels: { os: 'linux' } });
      const mac = await createNode(context, 'mac', { labels: { os: 'darwin' } });
      await createPod(context, 'a', { nodeSelector: { os: 'darwin' } });
      expect(await untilPlaced(context, 'a')).toBe(mac);
      expect(objectIn(await context.pods.get('a')).status).toMatchObject({
        phase: 'Pending',
        conditions: [{ type: 'PodScheduled', status: 'True' }],
      });
    },
  },
  {
    rule: 'a Pod that fits on no Node waits with a condition, and is bound when a Node appears',
    run: async (context) => {
      await createPod(context, 'a', { nodeSelector: { os: 'darwin' } });
      const { status } = await untilRefused(context, 'a');
      expect(status).toMatchObject({
        conditions: [{ type: 'PodScheduled', status: 'False', reason: 'Unschedulable' }],
      });
      const mac = await createNode(context, 'mac', { labels: { os: 'darwin' } });
      expect(await untilPlaced(context, 'a')).toBe(mac);
    },
  },
  {
    rule: 'a Pod is not bound to a Node with a taint that it does not tolerate',
    run: async (context) => {
      const taints = [{ key: 'dedicated', value: 'mac', effect: 'NoSchedule' }];
      await createNode(context, 'tainted', { spec: { taints } });
      await createPod(context, 'plain');
      await createPod(context, 'wrong', { tolerations: [{ key: 'dedicated', value: 'linux' }] });
      await untilRefused(context, 'plain');
      await untilRefused(context, 'wrong');
      await createPod(context, 'equal', { tolerations: [{ key: 'dedicated', value: 'mac' }] });
      await createPod(context, 'exists', { tolerations: [{ operator: 'Exists' }] });
      expect(await untilPlaced(context, 'equal')).toBe(await untilPlaced(context, 'exists'));
    },
  },
  {
    rule: 'a cordoned Node gets no new Pods',
    run: async (context) => {
      await createNode(context, 'cordoned', { spec: { unschedulable: true } });
      await createPod(context, 'a');
      await untilRefused(context, 'a');
    },
  },
  {
    rule: 'a Node gets no more than its capacity, and freed capacity is used again',
    run: async (context) => {
      const small = await createNode(context, 'small', { allocatable: { cpu: '2' } });
      await createPod(context, 'a', { requests: { cpu: '1500m' } });
      expect(await untilPlaced(context, 'a')).toBe(small);
      await createPod(context, 'b', { requests: { cpu: '501m' } });
      await untilRefused(context, 'b');
      await createPod(context, 'c', { requests: { cpu: '500m' } });
      expect(await untilPlaced(context, 'c')).toBe(small);
      objectIn(await context.pods.delete('a', { options: { gracePeriodSeconds: 0 } }));
      expect(await untilPlaced(context, 'b')).toBe(small);
    },
  },
  {
    rule: 'a Pod that has ended uses no capacity',
    run: async (context) => {
      const small = await createNode(context, 'small', { allocatable: { pods: '1' } });
      await createPod(context, 'a');
      expect(await untilPlaced(context, 'a')).toBe(small);
      await createPod(context, 'b');
      await untilRefused(context, 'b');
      const end = (name: string, phase: string) =>
        context.pods.patch(name, { merge: { status: { phase } } }, { subresource: 'status' });
      objectIn(await end('a', 'Succeeded'));
      expect(await untilPlaced(context, 'b')).toBe(small);
      await createPod(context, 'c');
      await untilRefused(context, 'c');
      objectIn(await end('b', 'Failed'));
      expect(await untilPlaced(context, 'c')).toBe(small);
    },
  },
  {
    rule: 'a request for a resource that no Node has is unschedulable',
    run: async (context) => {
      await createNode(context, 'plain');
      await createPod(context, 'a', {
        containers: [{ name: 'main', image: 'none', resources: { limits: { 'muster.dev/vm': '1' } } }],
      });
      await untilRefused(context, 'a');
    },
  },
  {
    rule: 'one matching term meets required affinity',
    run: async (context) => {
      await createNode(context, 'a', { labels: { zone: 'a' } });
      const b = await createNode(context, 'b', { labels: { zone: 'b', cores: '10' } });
      const term = (key: string, operator: string, values: readonly string[]) => ({
        matchExpressions: [{ key, operator, values }],
      });
      const nodeSelectorTerms = [term('zone', 'In', ['none']), term('cores', 'Gt', ['9'])];
      const requiredDuringSchedulingIgnoredDuringExecution = { nodeSelectorTerms };
      const affinity = { nodeAffinity: { requiredDuringSchedulingIgnoredDuringExecution } };
      await createPod(context, 'a', { affinity });
      expect(await untilPlaced(context, 'a')).toBe(b);
    },
  },
  {
    rule: 'among Nodes that fit, the preferred Node is chosen',
    run: async (context) => {
      for (const name of ['a', 'c']) await createKnownNode(context, name, { labels: { zone: name } });
      const b = await createKnownNode(context, 'b', { labels: { zone: 'b' } });
      const preference = { matchExpressions: [{ key: 'zone', operator: 'In', values: ['b'] }] };
      const preferredDuringSchedulingIgnoredDuringExecution = [{ weight: 100, preference }];
      const affinity = { nodeAffinity: { preferredDuringSchedulingIgnoredDuringExecution } };
      await createPod(context, 'a', { affinity });
      expect(await untilPlaced(context, 'a')).toBe(b);
    },
  },
  {
    rule: 'a Node with a PreferNoSchedule taint is chosen only when no other fits',
    run: async (context) => {
      const taints = [{ key: 'busy', effect: 'PreferNoSchedule' }];
      const busy = await createKnownNode(context, 'a-busy', { spec: { taints }, allocatable: { pods: '5' } });
      const free = await createKnownNode(context, 'free', { allocatable: { pods: '2' } });
      await createPod(context, 'first');
      expect(await untilPlaced(context, 'first')).toBe(free);
      await createPod(context, 'second');
      expect(await untilPlaced(context, 'second')).toBe(busy);
    },
  },
  {
    rule: 'a Pod for another scheduler, or behind a scheduling gate, is not bound',
    run: async (context) => {
      const node = await createNode(context, 'plain');
      await createPod(context, 'other', { schedulerName: 'someone-else' });
      await createPod(context, 'gated', { schedulingGates: [{ name: 'example.com/wait' }] });
      await createPod(context, 'later');
      expect(await untilPlaced(context, 'later')).toBe(node);
      expect(nodeOf(objectIn(await context.pods.get('other')))).toBeUndefined();
      expect(nodeOf(objectIn(await context.pods.get('gated')))).toBeUndefined();
      objectIn(await context.pods.patch('gated', { merge: { spec: { schedulingGates: null } } }));
      expect(await untilPlaced(context, 'gated')).toBe(node);
    },
  },
  {
    rule: 'an Event names the Node of a scheduled Pod',
    run: async (context) => {
      const { coreEvents } = context;
      await createNode(context, 'plain');
      await createPod(context, 'a');
      await untilPlaced(context, 'a');
      const fieldSelector = 'involvedObject.name=a,reason=Scheduled';
      const answer = await untilAnswer(
        () => coreEvents.list({ fieldSelector }),
        (one) => JSON.stringify(one.body).includes('Successfully assigned'),
      );
      expect(answer.status).toBe(200);
    },
  },
  {
    rule: 'a toleration of one effect does not tolerate another',
    run: async (context) => {
      await createNode(context, 'tainted', { spec: { taints: [{ key: 'busy', effect: 'NoExecute' }] } });
      await createPod(context, 'a', {
        tolerations: [{ key: 'busy', operator: 'Exists', effect: 'NoSchedule' }],
      });
      await untilRefused(context, 'a');
    },
  },
  {
    rule: 'the requests of an init container count',
    run: async (context) => {
      const small = await createNode(context, 'small', { allocatable: { cpu: '2' } });
      const first = (cpu: string) => [{ name: 'first', image: 'none', resources: { requests: { cpu } } }];
      await createPod(context, 'a', { requests: { cpu: '1' }, initContainers: first('2500m') });
      await untilRefused(context, 'a');
      await createPod(context, 'b', { requests: { cpu: '1' }, initContainers: first('2') });
      expect(await untilPlaced(context, 'b')).toBe(small);
    },
  },
  {
    rule: 'the overhead of a runtime class counts as requested',
    run: async (context) => {
      const { of, suffix } = context;
      const runtimes = of({
        group: 'node.k8s.io',
        version: 'v1',
        plural: 'runtimeclasses',
        kind: 'RuntimeClass',
        scope: 'Cluster',
      });
      const overhead = { podFixed: { cpu: '1500m' } };
      const name = `heavy-${suffix}`;
      objectIn(await runtimes.post(runtimes.draft(name, { handler: 'heavy', overhead })), 201);
      await createNode(context, 'small', { allocatable: { cpu: '2' } });
      await createPod(context, 'a', { requests: { cpu: '600m' }, runtimeClassName: name });
      await untilRefused(context, 'a');
    },
  },
  {
    rule: 'among equal Nodes, the Node with more free capacity is chosen',
    run: async (context) => {
      const small = await createKnownNode(context, 'a-small', { allocatable: { cpu: '4', memory: '8Gi' } });
      const large = await createKnownNode(context, 'large', { allocatable: { cpu: '64', memory: '256Gi' } });
      await createPod(context, 'first', { requests: { cpu: '2', memory: '4Gi' } });
      expect(await untilPlaced(context, 'first')).toBe(large);
      expect(small).not.toBe(large);
    },
  },
];
