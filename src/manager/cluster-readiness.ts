/**
 * Whether the Cluster that owns a machine allows it a host. A machine without a Cluster is always allowed. A machine
 * that names a Cluster waits until its Machine owns it.
 */
import { labels } from '../api/names/labels.ts';
import type { ClusterReadiness } from '../hosts/machine/decision.ts';
import type { MachineObject } from '../hosts/state/objects.ts';
import type { FoundCluster } from '../hosts/state/cluster-objects.ts';
import type { ClusterApi } from './cluster-api.ts';

/**
 * Machines of one Cluster share a read. A new Cluster is ready within seconds, so `not-ready` is kept for less time.
 */
const rememberedMs: Readonly<Record<ClusterReadiness, number>> = {
  ready: 15_000,
  paused: 15_000,
  'not-ready': 4000,
};

export class ClusterReadinessCache {
  readonly #clusters: Pick<ClusterApi, 'find'>;
  readonly #now: () => number;
  readonly #remembered = new Map<string, { readonly readiness: ClusterReadiness; readonly until: number }>();

  constructor(clusters: Pick<ClusterApi, 'find'>, now: () => number) {
    this.#clusters = clusters;
    this.#now = now;
  }

  /** `fresh`: read now. `remembered`: at most some seconds old. */
  async of(machine: MachineObject, how: 'remembered' | 'fresh'): Promise<ClusterReadiness> {
    const { namespace = '', labels: marks = {}, ownerReferences = [] } = machine.metadata;
    const name = marks[labels.clusterName.key];
    if (name === undefined) return 'ready';
    if (!ownerReferences.some(isClusterApiMachine)) return 'not-ready';
    const key = `${namespace}/${name}`;
    const known = this.#remembered.get(key);
    if (how === 'remembered' && known !== undefined && known.until > this.#now()) return known.readiness;
    const readiness = readinessOf(await this.#clusters.find({ namespace, name }));
    this.#remembered.set(key, { readiness, until: this.#now() + rememberedMs[readiness] });
    return readiness;
  }
}

function isClusterApiMachine({
  kind,
  apiVersion,
}: {
  readonly kind: string;
  readonly apiVersion: string;
}): boolean {
  return kind === 'Machine' && apiVersion.startsWith('cluster.x-k8s.io/');
}

function readinessOf(cluster: FoundCluster | undefined): ClusterReadiness {
  if (cluster === undefined) return 'not-ready';
  const { version, object } = cluster;
  // mutation: paused-cluster-blocks
  if (object.spec?.paused === true) return 'paused';
  const { initialization, infrastructureReady } = object.status ?? {};
  const isProvisioned =
    version === 'v1beta2' ? initialization?.infrastructureProvisioned : infrastructureReady;
  return isProvisioned === true ? 'ready' : 'not-ready';
}
