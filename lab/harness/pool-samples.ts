/** Pools, Pods and Nodes for tests of the pool plan. */
import { finalizers } from '../../src/api/names/finalizers.ts';
import type { Observed } from '../../src/runner-pools/pool/observed.ts';
import { plan } from '../../src/runner-pools/pool/plan.ts';
import { runnerPool } from '../../src/api/kinds/runner-pool.ts';
import type { RunnerPoolObject } from '../../src/runner-pools/state/runner-pool-objects.ts';
import type { Node, Pod } from '../../src/kube/client/builtin-resources.ts';
import { zoneClock } from '../../src/platform/zone-clock.ts';

export const now = Date.UTC(2026, 0, 1, 12);
const namespace = 'tuist-runners';
const uid = 'uid-of-the-pool';

export interface PodFields {
  readonly labels?: Readonly<Record<string, string>>;
  readonly annotations?: Readonly<Record<string, string>>;
  readonly image?: string;
  readonly containers?: readonly { readonly name: string; readonly image: string }[];
  readonly nodeName?: string;
  readonly deletedAt?: string;
  readonly status?: object;
}

export function pool(
  spec: object = {},
  annotations: Readonly<Record<string, string>> = {},
): RunnerPoolObject {
  const parsed = runnerPool.schema.shape.spec.parse({
    replicas: 2,
    image: 'new',
    fleetSelector: 'linux-nodes',
    dispatchLabel: 'linux',
    runnerLabels: [],
    os: 'linux',
    runtimeClass: 'kata-qemu',
    ...spec,
  });
  return {
    metadata: {
      name: 'linux',
      namespace,
      uid,
      resourceVersion: '1',
      annotations,
      finalizers: [finalizers.runnerPoolDrain.key],
    },
    spec: parsed,
  };
}

export function macPool(): RunnerPoolObject {
  return pool({ os: 'darwin', runtimeClass: undefined });
}

let made = 0;

export function pod(fields: PodFields = {}): Pod {
  made += 1;
  const { labels = {}, annotations = {}, image = 'new', nodeName, deletedAt } = fields;
  const { containers = [{ name: 'runner', image }], status = { phase: 'Pending' } } = fields;
  return {
    metadata: {
      name: `linux-runner-${made}`,
      namespace,
      uid: `pod-${made}`,
      resourceVersion: '1',
      creationTimestamp: new Date(now - 3_600_000).toISOString(),
      labels: { 'muster.dev/runner-pool-uid': uid, ...labels },
      annotations,
      ...(deletedAt !== undefined && { deletionTimestamp: deletedAt }),
    },
    spec: { containers: [...containers], ...(nodeName !== undefined && { nodeName }) },
    status,
  };
}

export function poller(state: object): object {
  const phase = 'terminated' in state ? 'Running' : 'Pending';
  return { phase, initContainerStatuses: [{ name: 'poller', state }] };
}

export function runner(terminated: object): object {
  return { phase: 'Failed', containerStatuses: [{ name: 'runner', state: { terminated } }] };
}

export function node(name: string, spec: object = {}, conditions: readonly string[] = ['Ready']): Node {
  const labels = { 'node.cluster.x-k8s.io/pool': 'linux-nodes' };
  return {
    metadata: { name, uid: name, resourceVersion: '1', labels },
    spec,
    status: { conditions: conditions.map((type) => ({ type, status: 'True' })) },
  };
}

export function observing(more: Partial<Observed>): Observed {
  const { pool: asked = pool(), pods = [pod({ status: poller({ running: {} }) }), pod()] } = more;
  return {
    now,
    pool: asked,
    pods,
    accounts: [],
    unseen: [],
    vanished: [],
    reported: new Set(),
    fleet: { pools: [asked], podsOf: () => pods, unseen: () => 0, nodes: [node('a')] },
    hasDocker: false,
    earlyEnds: [],
    lastMadeAt: undefined,
    clock: zoneClock(now),
    deletesMax: 25,
    ...more,
  };
}

/** The plan as text. */
export function decided(observed: Observed): readonly string[] {
  return plan(observed).actions.map((action) =>
    action.kind === 'retire' ? `retire ${action.why}` : action.kind,
  );
}
