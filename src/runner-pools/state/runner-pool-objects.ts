/** RunnerPools as clients read them, and their Nodes. */
import { labels } from '../../api/names/labels.ts';
import { runnerPool, type RunnerPool } from '../../api/kinds/runner-pool.ts';
import type { KubeObject, Resource } from '../../kube/client/kube-object.ts';

export interface RunnerPoolObject extends KubeObject {
  readonly spec: RunnerPool['spec'];
  readonly status?: RunnerPool['status'];
}

export const runnerPools: Resource<RunnerPoolObject> = {
  group: runnerPool.group,
  version: runnerPool.version,
  plural: runnerPool.plural,
  kind: runnerPool.kind,
  namespaced: true,
};

/** The only runtime class in which jobs may have their own docker. */
export const kataClass = 'kata-qemu';

/** The fields of a Node that decisions use. */
export interface NodeFacts extends KubeObject {
  readonly spec?: { readonly unschedulable?: boolean };
  readonly status?: {
    readonly conditions?: readonly { readonly type: string; readonly status: string }[];
    readonly allocatable?: Readonly<Record<string, string>>;
  };
}

export const nodeFaults = [
  'unschedulable',
  'not_ready',
  'memory_pressure',
  'disk_pressure',
  'pid_pressure',
] as const;
export type NodeFault = (typeof nodeFaults)[number];

const pressures: Readonly<Record<string, NodeFault>> = {
  MemoryPressure: 'memory_pressure',
  DiskPressure: 'disk_pressure',
  PIDPressure: 'pid_pressure',
};

export function isLinux({ spec }: RunnerPoolObject): boolean {
  return spec.os === 'linux';
}

export function isKata(pool: RunnerPoolObject): boolean {
  return isLinux(pool) && pool.spec.runtimeClass === kataClass;
}

/** The labels of the Nodes that Pods of the pool may run on. */
export function nodeLabelsOf({ spec }: RunnerPoolObject): Readonly<Record<string, string>> {
  if (spec.os === 'linux') return { [labels.linuxPool.key]: spec.fleetSelector };
  return { 'kubernetes.io/os': 'darwin', [labels.fleet.key]: spec.fleetSelector };
}

export function nodesFor<N extends NodeFacts>(pool: RunnerPoolObject, nodes: readonly N[]): readonly N[] {
  const wanted = Object.entries(nodeLabelsOf(pool));
  return nodes.filter(({ metadata }) => wanted.every(([key, value]) => metadata.labels?.[key] === value));
}

/** Whether two pools compete for the same Nodes. */
export function areSiblings(one: RunnerPoolObject, other: RunnerPoolObject): boolean {
  return isLinux(one) === isLinux(other) && one.spec.fleetSelector === other.spec.fleetSelector;
}

/** Whether a Node is cordoned or being deleted, so that idle Pods should leave it. */
export function isDraining({ metadata, spec }: NodeFacts): boolean {
  return metadata.deletionTimestamp !== undefined || spec?.unschedulable === true;
}

/** Why a Node accepts no new Pods; undefined if it does. The Node must report Ready, and no pressure. */
export function faultOf(node: NodeFacts): NodeFault | undefined {
  if (isDraining(node)) return 'unschedulable';
  const conditions = node.status?.conditions ?? [];
  const isTrue = (wanted: string): boolean =>
    conditions.some(({ type, status }) => type === wanted && status === 'True');
  if (!isTrue('Ready')) return 'not_ready';
  return Object.entries(pressures).find(([type]) => isTrue(type))?.[1];
}
