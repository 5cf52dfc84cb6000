/** The Node of a machine: labels that pools select by, the taint that their Pods tolerate, room, and four conditions. */
import type { NodeCondition, NodeStatus, Taint } from 'kubernetes-types/core/v1.js';
import { labels } from '../../api/names/labels.ts';
import type { Node } from '../../kube/client/builtin-resources.ts';

export interface NodeShape {
  readonly name: string;
  readonly os: 'linux' | 'darwin';
  /** What `fleetSelector` of a pool names. */
  readonly fleet: string;
  readonly cpus: number;
  readonly memoryMb: number;
  /** Two on a Mac, unless given: macOS runs no more virtual machines at once. */
  readonly podsMax?: number;
  readonly labels?: Readonly<Record<string, string>>;
  /** By which Cluster API finds the Node of a Machine. */
  readonly providerId?: string;
  readonly addresses?: readonly string[];
  readonly version?: string;
  readonly osImage?: string;
  readonly bootId?: string;
}

const kinds = {
  linux: {
    arch: 'amd64',
    podsMax: 110,
    labels: (fleet: string) => ({ [labels.linuxPool.key]: fleet }),
    taint: { key: 'tuist.dev/runner-tier', value: 'bare-metal', effect: 'NoSchedule' },
    info: { containerRuntimeVersion: 'simulated', osImage: 'Linux' },
  },
  darwin: {
    arch: 'arm64',
    podsMax: 2,
    labels: (fleet: string) => ({ [labels.fleet.key]: fleet, [labels.runtime.key]: 'tart' }),
    taint: { key: 'tuist.dev/macos', value: 'true', effect: 'NoSchedule' },
    info: { containerRuntimeVersion: 'tart', osImage: 'macOS' },
  },
} as const;

/** The taint of a new Node: controllers of the cluster remove it when the Node is ready. */
const notReadyKey = 'node.kubernetes.io/not-ready';

/** The Node to create where none exists. */
export function nodeDraft(shape: NodeShape): object {
  const { name, providerId } = shape;
  return {
    apiVersion: 'v1',
    kind: 'Node',
    metadata: { name, labels: nodeLabels(shape) },
    spec: {
      taints: [kinds[shape.os].taint],
      ...(providerId !== undefined && { providerID: providerId }),
    },
  };
}

/**
 * The fields to correct on a Node that exists. An empty providerID is filled; one that is set is never overwritten, since
 * Cluster API has bound the Machine by it.
 */
export function nodeCorrection(shape: NodeShape, { metadata, spec }: Node): object | undefined {
  const wanted = nodeLabels(shape);
  const taints = correctedTaints(shape, spec?.taints ?? []);
  const isToFill = shape.providerId !== undefined && isEmpty(spec?.providerID);
  if (hasLabels(metadata.labels, wanted) && taints === undefined && !isToFill) return undefined;
  return {
    metadata: { labels: wanted },
    spec: { ...(taints !== undefined && { taints }), ...(isToFill && { providerID: shape.providerId }) },
  };
}

function isEmpty(text: string | undefined): boolean {
  return text === undefined || text === '';
}

type Labels = Readonly<Record<string, string>>;

function hasLabels(present: Labels = {}, wanted: Labels): boolean {
  return Object.entries(wanted).every(([key, value]) => present[key] === value);
}

/** Undefined where the taints are right. */
function correctedTaints({ os }: NodeShape, present: readonly Taint[]): readonly Taint[] | undefined {
  const { taint } = kinds[os];
  const kept = present.filter(({ key }) => key !== notReadyKey);
  const isTainted = kept.some(({ key }) => key === taint.key);
  if (isTainted && kept.length === present.length) return undefined;
  return isTainted ? kept : [...kept, taint];
}

/** The Node carries the providerID of another server. */
export function hasOtherProviderId({ providerId }: NodeShape, { spec }: Node): boolean {
  const found = spec?.providerID ?? '';
  return providerId !== undefined && found !== '' && found !== providerId;
}

export function nodeLabels(shape: NodeShape): Readonly<Record<string, string>> {
  const kind = kinds[shape.os];
  return {
    'kubernetes.io/os': shape.os,
    'kubernetes.io/arch': kind.arch,
    'kubernetes.io/hostname': shape.name,
    ...kind.labels(shape.fleet),
    ...shape.labels,
  };
}

const conditions = [
  { type: 'Ready', status: 'True', reason: 'AgentReady', message: 'the agent runs' },
  { type: 'MemoryPressure', status: 'False', reason: 'EnoughMemory', message: '' },
  { type: 'DiskPressure', status: 'False', reason: 'EnoughDisk', message: '' },
  { type: 'PIDPressure', status: 'False', reason: 'EnoughProcesses', message: '' },
] as const;

export function nodeStatus(shape: NodeShape, { status }: Pick<Node, 'status'>, at: string): NodeStatus {
  const kind = kinds[shape.os];
  const room = {
    cpu: String(shape.cpus),
    memory: `${shape.memoryMb}Mi`,
    pods: String(shape.podsMax ?? kind.podsMax),
  };
  const before: readonly NodeCondition[] = status?.conditions ?? [];
  const turnedAt = (type: string, value: string): string =>
    before.find((one) => one.type === type && one.status === value)?.lastTransitionTime ?? at;
  return {
    capacity: room,
    allocatable: room,
    conditions: conditions.map((one) => ({
      ...one,
      lastHeartbeatTime: at,
      lastTransitionTime: turnedAt(one.type, one.status),
    })),
    addresses: [
      ...(shape.addresses ?? []).map((address) => ({ type: 'InternalIP', address })),
      { type: 'Hostname', address: shape.name },
    ],
    nodeInfo: {
      ...kind.info,
      ...(shape.osImage !== undefined && { osImage: shape.osImage }),
      kubeletVersion: `muster-${shape.version ?? 'v0'}`,
      operatingSystem: shape.os,
      architecture: kind.arch,
      bootID: shape.bootId ?? '',
      kernelVersion: '',
      kubeProxyVersion: '',
      machineID: '',
      systemUUID: '',
    },
  };
}
