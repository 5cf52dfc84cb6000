/**
 * Whether the Cluster that owns a machine allows it a host. A machine without a Cluster is always allowed. A machine
 * that names a Cluster waits until its Machine owns it.
 */
import { labels } from '../api/names/labels.ts';
import type { Gate } from '../hosts/machine/decision.ts';
import type { MachineObject } from '../hosts/state/objects.ts';
import type { FoundCluster } from '../hosts/state/cluster-objects.ts';
import type { ClusterApi } from './cluster-api.ts';

/**
 * Machines of one Cluster share a read. A new Cluster is ready within seconds, so `not-ready` is kept for less time.
 */
const rememberedMs: Readonly<Record<Gate, number>> = { open: 15_000, paused: 15_000, 'not-ready': 4000 };

export class ClusterGate {
  readonly #clusters: Pick<ClusterApi, 'find'>;
  readonly #now: () => number;
  readonly #remembered = new Map<string, { readonly gate: Gate; readonly until: number }>();

  constructor(clusters: Pick<ClusterApi, 'find'>, now: () => number) {
    this.#clusters = clusters;
    this.#now = now;
  }

  /** `fresh`: read now. `remembered`: at most some seconds old. */
  async of(machine: MachineObject, how: 'remembered' | 'fresh'): Promise<Gate> {
    const { namespace = '', labels: marks = {}, ownerReferences = [] } = machine.metadata;
    const name = marks[labels.clusterName.key];
    if (name === undefined) return 'open';
    if (!ownerReferences.some(isClusterApiMachine)) return 'not-ready';
    const key = `${namespace}/${name}`;
    const known = this.#remembered.get(key);
    if (how === 'remembered' && known !== undefined && known.until > this.#now()) return known.gate;
    const gate = gateOf(await this.#clusters.find({ namespace, name }));
    this.#remembered.set(key, { gate, until: this.#now() + rememberedMs[gate] });
    return gate;
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

function gateOf(cluster: FoundCluster | undefined): Gate {
  if (cluster === undefined) return 'not-ready';
  const { version, object } = cluster;
  // mutation: paused-cluster-blocks
  if (object.spec?.paused === true) return 'paused';
  const { initialization, infrastructureReady } = object.status ?? {};
  const isProvisioned =
    version === 'v1beta2' ? initialization?.infrastructureProvisioned : infrastructureReady;
  return isProvisioned === true ? 'open' : 'not-ready';
}
