/**
 * The fixture of one case: a namespace with a cluster, a template and a deployment of machines, and a fake provider.
 * Waiting means polling; the provider does its part between two polls.
 */
import type { Condition } from '../../../src/kube/reconciler/conditions.ts';
import { pods, secrets } from '../../../src/kube/client/builtin-resources.ts';
import type { KubeClient } from '../../../src/kube/client/client.ts';
import type { KubeObject, Resource } from '../../../src/kube/client/kube-object.ts';
import { isFleetError } from '../../../src/platform/errors/fleet-error.ts';
import {
  clusters,
  labels,
  machineDeployments,
  machines,
  machineSets,
  type Cluster,
  type Machine,
  type MachineDeployment,
  type MachineSet,
} from '../../clouds/cluster-api/kinds.ts';
import {
  clusterName,
  clusterSpec,
  deploymentSpec,
  draft,
  namespaces,
  templateOf,
  type Wanted,
} from './drafts.ts';
import { referenceTo, tiny } from './tiny-kinds.ts';
import { tinyFinalizer, TinyProvider } from './tiny-provider.ts';

/** A server with Cluster API running on it. */
export interface Ground {
  readonly client: KubeClient;
  /** The kubeconfig of the workload cluster: the server itself. */
  readonly kubeconfig: string;
  /** Creates a DaemonSet; a server without that kind fakes the owner. */
  daemonSet(namespace: string): Promise<KubeObject>;
  /** Lets a little time pass. */
  pass(): Promise<void>;
}

const attemptsMax = 2000;
export class Fixture {
  readonly provider: TinyProvider;
  readonly #ground: Ground;
  readonly #name: string;

  constructor(ground: Ground, name: string) {
    this.#ground = ground;
    this.#name = name;
    this.provider = new TinyProvider(ground.client, name);
  }

  get client(): KubeClient {
    return this.#ground.client;
  }

  /** Also the name of the deployment: Machines, and so Nodes, are named after it. */
  get name(): string {
    return this.#name;
  }

  async build(wanted: Wanted = {}): Promise<void> {
    const infrastructure = wanted.isOld === true ? tiny.oldClusters : tiny.clusters;
    const spec = { controlPlaneEndpoint: { host: '192.0.2.7', port: 6443 } };
    await this.client.create(namespaces, {}, draft(namespaces, this.#name));
    await this.make(secrets, 'bootstrap', { stringData: { value: 'nothing' } });
    const metadata = { labels: { [labels.cluster]: clusterName } };
    const stringData = { value: this.#ground.kubeconfig };
    await this.make(secrets, `${clusterName}-kubeconfig`, { metadata, stringData });
    await this.make(infrastructure, clusterName, { spec });
    if (wanted.controlPlane !== false) await this.make(tiny.controlPlanes, clusterName, { spec: {} });
    for (const colour of ['blue', 'red']) await this.make(tiny.templates, colour, templateOf(colour));
    await this.make(clusters, clusterName, { spec: clusterSpec(wanted, infrastructure) });
    await this.make(machineDeployments, this.#name, { metadata, spec: deploymentSpec(wanted) });
  }

  /** Builds the cluster, and waits until all machines run. */
  async buildAvailable(wanted: Wanted = {}): Promise<readonly Machine[]> {
    await this.build(wanted);
    return this.untilRunning(wanted.replicas ?? 1);
  }

  async untilRunning(count: number): Promise<readonly Machine[]> {
    return this.until(`${count} running machines`, async () => {
      const all = await this.machines();
      const { status } = await this.deployment();
      const isDone = all.length === count && all.every(isRunning);
      return isDone && status?.availableReplicas === count ? all : undefined;
    });
  }

  /** Returns the first answer that is not undefined. */
  async until<T>(what: string, ask: () => Promise<T | undefined>): Promise<T> {
    for (let attempt = 0; attempt < attemptsMax; attempt += 1) {
      const answer = await ask();
      if (answer !== undefined) return answer;
      await this.#round();
      await this.#ground.pass();
    }
    throw new Error(`timed out waiting for: ${what}\n${await this.#picture()}`);
  }

  /** Returns the name of the first Machine, once a Machine exists. */
  async untilNamed(): Promise<string> {
    return this.until('a machine', async () => (await this.machines())[0]?.metadata.name);
  }

  /**
   * Changes the template of the deployment, and waits for the end of the reaction: no old MachineSet creates Machines.
   */
  async switchTo(colour: string): Promise<void> {
    const infrastructureRef = referenceTo(tiny.templates, colour);
    await this.patch(machineDeployments, this.#name, { spec: { template: { spec: { infrastructureRef } } } });
    await this.untilIs(
      [machineDeployments, this.#name],
      ({ status, metadata }) => status?.observedGeneration === metadata.generation,
    );
  }

  /** Waits until that many Machines are being deleted, and their infrastructure with them. */
  async untilLeaving(count: number): Promise<readonly Machine[]> {
    return this.until(`${count} leaving machines`, async () => {
      const leaving = (await this.machines()).filter(
        ({ metadata }) => metadata.deletionTimestamp !== undefined,
      );
      const hosts = (await this.#all(tiny.machines)).filter(
        ({ metadata }) => metadata.deletionTimestamp !== undefined,
      );
      return leaving.length === count && hosts.length === count ? leaving : undefined;
    });
  }

  async untilGone(resource: Resource, name: string): Promise<void> {
    await this.until(`${resource.kind} ${name} is gone`, async () => {
      const found = await this.find(resource, name);
      return found === undefined ? true : undefined;
    });
  }

  /** Waits for an object that meets the condition. */
  async untilIs<T extends KubeObject>(
    [resource, name]: readonly [Resource<T>, string],
    isSo: (object: T) => boolean,
  ): Promise<T> {
    return this.until(`${resource.kind} ${name} is as it should be`, async () => {
      const object = await this.find(resource, name);
      return object !== undefined && isSo(object) ? object : undefined;
    });
  }

  async find<T extends KubeObject>(resource: Resource<T>, name: string): Promise<T | undefined> {
    return this.client.find(resource, this.#place(resource, name));
  }

  async get<T extends KubeObject>(resource: Resource<T>, name: string): Promise<T> {
    return this.client.get(resource, this.#place(resource, name));
  }

  async patch(resource: Resource, name: string, merge: object): Promise<void> {
    await this.client.patch(resource, this.#place(resource, name), { merge });
  }

  async delete(resource: Resource, name: string): Promise<void> {
    const place = this.#place(resource, name);
    const { metadata } = await this.client.get(resource, place);
    await this.client.delete(resource, place, { uid: metadata.uid });
  }

  async cluster(): Promise<Cluster> {
    return this.get(clusters, clusterName);
  }

  async deployment(): Promise<MachineDeployment> {
    return this.get(machineDeployments, this.#name);
  }

  /** The MachineSets, by creation time. */
  async sets(): Promise<readonly MachineSet[]> {
    return this.#all(machineSets);
  }

  async machines(): Promise<readonly Machine[]> {
    return this.#all(machines);
  }

  async scale(replicas: number): Promise<void> {
    await this.patch(machineDeployments, this.#name, { spec: { replicas } });
  }

  /** Runs a Pod on a Node; the Pod ends only when a case reports its end. */
  async runPod(name: string, nodeName: string, owner?: KubeObject): Promise<void> {
    const containers = [{ name: 'main', image: 'none' }];
    const spec = { nodeName, terminationGracePeriodSeconds: 0, containers };
    const ownerReferences = owner === undefined ? [] : [ownerReference(owner)];
    await this.make(pods, name, { metadata: { ownerReferences, finalizers: [tinyFinalizer] }, spec });
  }

  /** Removes the finalizer of one object, though the provider keeps the others. */
  async letGo(resource: Resource, name: string): Promise<void> {
    await this.patch(resource, name, { metadata: { finalizers: null } });
  }

  async daemonSet(): Promise<KubeObject> {
    return this.#ground.daemonSet(this.#name);
  }

  async endPod(name: string): Promise<void> {
    await this.letGo(pods, name);
  }

  async #all<T extends KubeObject>(resource: Resource<T>): Promise<readonly T[]> {
    const { items } = await this.client.listPage(resource, { namespace: this.#name });
    return items.toSorted((a, b) => bornAt(a).localeCompare(bornAt(b)));
  }

  /** Another writer may have been first; the next round retries. */
  async #round(): Promise<void> {
    try {
      await this.provider.round();
    } catch (error) {
      if (!isFleetError(error, 'conflict') && !isFleetError(error, 'gone')) throw error;
    }
  }

  async make(resource: Resource, name: string, { metadata = {}, ...rest }: Rest): Promise<KubeObject> {
    const body = { ...draft(resource, name, metadata), ...rest };
    return this.client.create(resource, { namespace: this.#name }, body);
  }

  #place({ namespaced }: Resource, name: string) {
    return { name, ...(namespaced && { namespace: this.#name }) };
  }

  async #picture(): Promise<string> {
    const seen: readonly KubeObject[] = [
      await this.cluster(),
      await this.deployment(),
      ...(await this.sets()),
      ...(await this.machines()),
      ...(await this.#all(tiny.machines)),
    ];
    return seen.map((object) => JSON.stringify(object, undefined, 1)).join('\n');
  }
}

/**
 * The real core writes the conditions of an object first, and the rest of its status in a second patch: a case that
 * waits for both must test both.
 */
export function statusOf({ status }: Conditioned, type: string): Condition['status'] | undefined {
  return status?.conditions?.find((one) => one.type === type)?.status;
}

function isRunning(machine: Machine): boolean {
  return statusOf(machine, 'Available') === 'True' && machine.status?.phase === 'Running';
}

export function namesOf(objects: readonly KubeObject[]): readonly string[] {
  return objects.map(({ metadata }) => metadata.name);
}

interface Rest {
  readonly metadata?: object;
  readonly [field: string]: unknown;
}

interface Conditioned {
  readonly status?: { readonly conditions?: readonly Condition[] };
}

/** Nodes and Machines of the same second are ordered by name. */
function bornAt({ metadata }: KubeObject): string {
  return `${metadata.creationTimestamp} ${metadata.name}`;
}

function ownerReference({ apiVersion = '', kind = '', metadata: { name, uid } }: KubeObject) {
  return { apiVersion, kind, name, uid, controller: true };
}
