/** The controller of MachineDeployments. */
import type { Controller } from '../../../../src/kube/reconciler/reconciler.ts';
import type { Report } from '../../../../src/kube/reconciler/plan.ts';
import { findForeign } from '../foreign.ts';
import { machineDeployments, machineSets, type MachineDeployment, type MachineSet } from '../kinds.ts';
import { byAge, clusterKeyOf, drawSuffix, type CorePorts } from '../ports.ts';
import { confirmAndApply, hasTouched, isOwnedBy, writeStatus, type Step } from '../step.ts';
import { planDeployment, statusOfDeployment, type ObservedDeployment } from './plan.ts';

export class DeploymentController implements Controller<ObservedDeployment, Step> {
  readonly name = 'cluster-api-deployment';
  readonly plan = planDeployment;
  readonly #ports: CorePorts;

  constructor(ports: CorePorts) {
    this.#ports = ports;
  }

  async observe(key: string): Promise<ObservedDeployment | undefined> {
    const { copies, client, resolve, now, random } = this.#ports;
    const deployment = copies.deployments.get(key);
    if (deployment === undefined) return undefined;
    const { namespace = '' } = deployment.metadata;
    const reference = deployment.spec.template.spec.infrastructureRef;
    return {
      now: now(),
      deployment,
      cluster: copies.clusters.get(clusterKeyOf(deployment)),
      sets: await this.#setsOf(deployment),
      template: await findForeign(client, resolve, { reference, namespace }),
      suffix: drawSuffix(random),
    };
  }

  async act(step: Step) {
    return confirmAndApply(this.#ports.client, step);
  }

  async status(observed: ObservedDeployment, report: Report<Step>): Promise<void> {
    const { deployment: object } = observed;
    if (hasTouched(object, report)) return;
    await writeStatus(
      this.#ports.client,
      { resource: machineDeployments, object },
      statusOfDeployment(observed),
    );
  }

  /** Past the cache: a new set that the cache misses would be created twice. */
  async #setsOf(deployment: MachineDeployment): Promise<readonly MachineSet[]> {
    const { namespace = '' } = deployment.metadata;
    const { items } = await this.#ports.client.listPage(machineSets, { namespace });
    return items.filter((set) => isOwnedBy(set, deployment)).toSorted(byAge);
  }
}
