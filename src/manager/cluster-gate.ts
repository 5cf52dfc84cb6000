/** Whether the Cluster of Cluster API above a machine lets it have a host. A machine that stands alone asks nobody. */
import { labels } from '../api/labels.ts';
import type { Gate } from '../controllers/machine/plan.ts';
import type { MachineObject } from '../fleet/objects.ts';
import type { KubeClient } from '../runtime/kube/client.ts';
import type { KubeObject, Resource } from '../runtime/kube/kube-object.ts';

interface ClusterObject extends KubeObject {
  readonly spec?: { readonly paused?: boolean };
  readonly status?: { readonly initialization?: { readonly infrastructureProvisioned?: boolean } };
}

const clusters: Resource<ClusterObject> = {
  group: 'cluster.x-k8s.io',
  version: 'v1beta2',
  plural: 'clusters',
  kind: 'Cluster',
  namespaced: true,
};

/** Many machines of one Cluster are looked at together. */
const rememberedMs = 15_000;

export class ClusterGate {
  readonly #client: KubeClient;
  readonly #now: () => number;
  readonly #remembered = new Map<string, { readonly gate: Gate; readonly until: number }>();

  constructor(client: KubeClient, now: () => number) {
    this.#client = client;
    this.#now = now;
  }

  /** `fresh`: as it is stored now; else as it was some seconds ago at the most. */
  async of(machine: MachineObject, how: 'remembered' | 'fresh'): Promise<Gate> {
    const { namespace = '', labels: marks = {}, ownerReferences = [] } = machine.metadata;
    const name = marks[labels.clusterName.key];
    if (name === undefined || !ownerReferences.some(isClusterApiMachine)) return 'open';
    const key = `${namespace}/${name}`;
    const known = this.#remembered.get(key);
    if (how === 'remembered' && known !== undefined && known.until > this.#now()) return known.gate;
    const gate = gateOf(await this.#client.find(clusters, { namespace, name }));
    this.#remembered.set(key, { gate, until: this.#now() + rememberedMs });
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

function gateOf(cluster: ClusterObject | undefined): Gate {
  if (cluster?.spec?.paused === true) return 'paused';
  return cluster?.status?.initialization?.infrastructureProvisioned === true ? 'open' : 'not-ready';
}
