/** The controller of Clusters. */
import type { Controller } from '../../../../src/kube/reconciler/reconciler.ts';
import type { Report } from '../../../../src/kube/reconciler/plan.ts';
import type { KubeObject, Resource } from '../../../../src/kube/client/kube-object.ts';
import { findForeign } from '../foreign.ts';
import {
  clusters,
  machineDeployments,
  machines,
  machineSets,
  type Cluster,
  type Machine,
  type MachineDeployment,
  type MachineSet,
} from '../kinds.ts';
import type { CorePorts } from '../ports.ts';
import { confirmAndApply, hasTouched, isDeleting, writeStatus, type Step, type Target } from '../step.ts';
import { planCluster, statusOfCluster, type ObservedCluster } from './plan.ts';

export class ClusterController implements Controller<ObservedCluster, Step> {
  readonly name = 'cluster-api-cluster';
  readonly plan = planCluster;
  readonly #ports: CorePorts;

  constructor(ports: CorePorts) {
    this.#ports = ports;
  }

  async observe(key: string): Promise<ObservedCluster | undefined> {
    const { copies, client, resolve, now } = this.#ports;
    const cluster = copies.clusters.get(key);
    if (cluster === undefined) return undefined;
    const { namespace = '' } = cluster.metadata;
    const { infrastructureRef, controlPlaneRef } = cluster.spec;
    // The checks run in the reverse order of the deletion.
    const infrastructure = await findForeign(client, resolve, { reference: infrastructureRef, namespace });
    const controlPlane = await findForeign(client, resolve, { reference: controlPlaneRef, namespace });
    const dependents = isDeleting(cluster) ? await this.#dependentsOf(cluster) : [];
    return { now: now(), cluster, infrastructure, controlPlane, dependents };
  }

  async act(step: Step) {
    return confirmAndApply(this.#ports.client, step);
  }

  async status(observed: ObservedCluster, report: Report<Step>): Promise<void> {
    const { cluster } = observed;
    if (hasTouched(cluster, report)) return;
    await writeStatus(this.#ports.client, { resource: clusters, object: cluster }, statusOfCluster(observed));
  }

  /** Past the cache: an object that the cache misses would be left behind. */
  async #dependentsOf(cluster: Cluster): Promise<readonly Target[]> {
    return [
      ...(await this.#of(machineDeployments, cluster)),
      ...(await this.#of(machineSets, cluster)),
      ...(await this.#of(machines, cluster)),
    ];
  }

  async #of<T extends MachineDeployment | MachineSet | Machine>(
    resource: Resource<T>,
    { metadata }: KubeObject,
  ): Promise<readonly Target[]> {
    const { namespace = '', name } = metadata;
    const { items } = await this.#ports.client.listPage(resource, { namespace });
    return items.filter(({ spec }) => spec.clusterName === name).map((object) => ({ resource, object }));
  }
}
