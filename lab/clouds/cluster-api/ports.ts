/** Shared parts of the controllers of the stand-in. */
import type { Node } from '../../../src/kube/client/builtin-resources.ts';
import type { KubeClient } from '../../../src/kube/client/client.ts';
import type { Informer } from '../../../src/kube/informer/informer.ts';
import type { KubeObject } from '../../../src/kube/client/kube-object.ts';
import type { Random } from '../../../src/platform/random.ts';
import type { Resolve } from './foreign.ts';
import type { Cluster, Machine, MachineDeployment, MachineSet } from './kinds.ts';

export interface CorePorts {
  readonly client: KubeClient;
  readonly now: () => number;
  readonly random: Random;
  readonly resolve: Resolve;
  /** The cached objects for reconciling. */
  readonly copies: Copies;
}

export interface Copies {
  readonly clusters: Informer<Cluster>;
  readonly deployments: Informer<MachineDeployment>;
  readonly sets: Informer<MachineSet>;
  readonly machines: Informer<Machine>;
  /** Indexed by provider id. */
  readonly nodes: Informer<Node>;
}

/** The requeue interval for changes without a watch. */
export const lookAgainMs = 10_000;

/** The Cluster of one of our objects. */
export function clusterKeyOf({ metadata, spec }: Machine | MachineSet | MachineDeployment): string {
  return `${metadata.namespace}/${spec.clusterName}`;
}

const alphabet = 'bcdfghjklmnpqrstvwxz2456789';

/** A random name suffix like that of Kubernetes. */
export function drawSuffix(random: Random): string {
  const letter = (): string => alphabet[Math.floor(random.next() * alphabet.length)] ?? 'x';
  return Array.from({ length: 5 }, letter).join('');
}

export function byAge(a: KubeObject, b: KubeObject): number {
  const born = (a.metadata.creationTimestamp ?? '').localeCompare(b.metadata.creationTimestamp ?? '');
  return born || a.metadata.name.localeCompare(b.metadata.name);
}

/** The key of the owner of that kind. */
export function ownerOf({ metadata }: KubeObject, kind: string): string | undefined {
  const owner = metadata.ownerReferences?.find((one) => one.kind === kind);
  return owner === undefined ? undefined : `${metadata.namespace}/${owner.name}`;
}
