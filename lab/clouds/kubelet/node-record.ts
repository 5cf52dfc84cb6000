/** What a Node of a fleet looks like: its labels are those that pools choose by, its taints those that their Pods stand. */
import { labels } from '../../../src/api/names/labels.ts';

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
}

const kinds = {
  linux: {
    arch: 'amd64',
    podsMax: 110,
    labels: (fleet: string) => ({ [labels.linuxPool.key]: fleet }),
    taint: { key: 'tuist.dev/runner-tier', value: 'bare-metal', effect: 'NoSchedule' },
    info: { kubeletVersion: 'v0-simulated', containerRuntimeVersion: 'simulated', osImage: 'Linux' },
  },
  darwin: {
    arch: 'arm64',
    podsMax: 2,
    labels: (fleet: string) => ({ [labels.fleet.key]: fleet, [labels.runtime.key]: 'tart' }),
    taint: { key: 'tuist.dev/macos', value: 'true', effect: 'NoSchedule' },
    info: { kubeletVersion: 'v0-simulated', containerRuntimeVersion: 'tart', osImage: 'macOS' },
  },
} as const;

/** What is written when there is no such Node yet. */
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

export function nodeStatus(shape: NodeShape, at: string): object {
  const kind = kinds[shape.os];
  const remaining = {
    cpu: String(shape.cpus),
    memory: `${shape.memoryMb}Mi`,
    pods: String(shape.podsMax ?? kind.podsMax),
  };
  const ready = {
    type: 'Ready',
    status: 'True',
    reason: 'KubeletReady',
    message: 'the simulated kubelet is at work',
    lastHeartbeatTime: at,
    lastTransitionTime: at,
  };
  return {
    capacity: remaining,
    allocatable: remaining,
    conditions: [ready],
    addresses: [{ type: 'Hostname', address: shape.name }],
    nodeInfo: {
      ...kind.info,
      operatingSystem: shape.os,
      architecture: kind.arch,
      bootID: '',
      kernelVersion: '',
      kubeProxyVersion: '',
      machineID: '',
      systemUUID: '',
    },
  };
}
