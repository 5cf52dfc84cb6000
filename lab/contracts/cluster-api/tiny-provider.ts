/**
 * A fake of the controllers of the tiny kinds: each round reads all objects of one namespace and does what is due. Each
 * part can be switched off, so that a case can observe the state between two steps.
 */
import { nodes } from '../../../src/kube/client/builtin-resources.ts';
import type { KubeClient } from '../../../src/kube/client/client.ts';
import type { KubeObject, Resource } from '../../../src/kube/client/kube-object.ts';
import { clusters } from '../../clouds/cluster-api/kinds.ts';
import { clusterName, draft } from './drafts.ts';
import { tiny, type Tiny } from './tiny-kinds.ts';

export const tinyFinalizer = 'tiny.muster.dev/held';
export const addresses = [{ type: 'InternalIP', address: '192.0.2.1' }];
export const healthyNode = [
  { type: 'Ready', status: 'True' },
  { type: 'MemoryPressure', status: 'False' },
  { type: 'DiskPressure', status: 'False' },
  { type: 'PIDPressure', status: 'False' },
];

export class TinyProvider {
  /** Reports clusters and machines as provisioned. */
  provisions = true;
  /** Reports control planes as initialized. */
  initializes = true;
  /**
   * Sets the condition of an external control plane on the Cluster itself, and sets it again whenever it is removed.
   */
  opensGate = false;
  /** Nodes join, with these conditions. */
  joins: readonly object[] | undefined = healthyNode;
  /** Removes the finalizers of deleted objects. */
  releases = true;
  readonly #client: KubeClient;
  readonly #namespace: string;

  constructor(client: KubeClient, namespace: string) {
    this.#client = client;
    this.#namespace = namespace;
  }

  async round(): Promise<void> {
    if (this.opensGate) await this.#openGate();
    for (const kind of [tiny.clusters, tiny.oldClusters, tiny.controlPlanes, tiny.machines])
      for (const object of await this.#all(kind)) await this.#tend(kind, object);
  }

  async say(kind: Resource<Tiny>, object: KubeObject, status: object): Promise<void> {
    await this.#client.patch(kind, { ...this.#at(object), subresource: 'status' }, { merge: { status } });
  }

  async #tend(kind: Resource<Tiny>, object: Tiny): Promise<void> {
    const { finalizers = [], deletionTimestamp } = object.metadata;
    const isHeld = finalizers.includes(tinyFinalizer);
    if (deletionTimestamp !== undefined)
      return isHeld && this.releases ? this.#hold(kind, object, []) : undefined;
    if (!isHeld) return this.#hold(kind, object, [...finalizers, tinyFinalizer]);
    if (kind === tiny.machines) return this.#provision(object);
    return object.status === undefined ? this.#report(kind, object) : undefined;
  }

  async #report(kind: Resource<Tiny>, object: Tiny): Promise<void> {
    if (kind === tiny.controlPlanes && this.initializes) await this.#initialize(object);
    if (!this.provisions) return;
    if (kind === tiny.oldClusters) await this.say(kind, object, { ready: true });
    if (kind === tiny.clusters) await this.say(kind, object, { initialization: { provisioned: true } });
  }

  async #openGate(): Promise<void> {
    const place = { namespace: this.#namespace, name: clusterName };
    const { status } = await this.#client.get(clusters, place);
    const type = 'ControlPlaneInitialized';
    if (status?.conditions?.some((one) => one.type === type && one.status === 'True') === true) return;
    const said = { type, status: 'True', reason: 'Elsewhere', message: '' };
    const conditions = [{ ...said, lastTransitionTime: '2026-01-01T00:00:00Z' }];
    const apply = { ...draft(clusters, clusterName), status: { conditions } };
    await this.#client.patch(clusters, { ...place, subresource: 'status' }, { apply, force: true });
  }

  async #hold(kind: Resource<Tiny>, object: Tiny, finalizers: readonly string[]): Promise<void> {
    const { resourceVersion } = object.metadata;
    await this.#client.patch(kind, this.#at(object), {
      merge: { metadata: { resourceVersion, finalizers } },
    });
  }

  async #initialize(object: Tiny): Promise<void> {
    const initialization = { controlPlaneInitialized: true };
    await this.say(tiny.controlPlanes, object, { externalManagedControlPlane: true, initialization });
  }

  async #provision(object: Tiny): Promise<void> {
    if (!this.provisions) return;
    const { name } = object.metadata;
    const providerID = `tiny://${name}`;
    if (object.spec?.['providerID'] === undefined)
      await this.#client.patch(tiny.machines, this.#at(object), { merge: { spec: { providerID } } });
    else if (object.status === undefined)
      await this.say(tiny.machines, object, { initialization: { provisioned: true }, addresses });
    else if (this.joins !== undefined && (await this.#client.find(nodes, { name })) === undefined)
      await this.#join(name, providerID);
  }

  async #join(name: string, providerID: string): Promise<void> {
    const node = { apiVersion: 'v1', kind: 'Node', metadata: { name }, spec: { providerID } };
    await this.#client.create(nodes, {}, node);
    const status = { conditions: this.joins };
    await this.#client.patch(nodes, { name, subresource: 'status' }, { merge: { status } });
  }

  async #all(kind: Resource<Tiny>): Promise<readonly Tiny[]> {
    return (await this.#client.listPage(kind, { namespace: this.#namespace })).items;
  }

  #at({ metadata }: KubeObject): { readonly namespace: string; readonly name: string } {
    return { namespace: this.#namespace, name: metadata.name };
  }
}
