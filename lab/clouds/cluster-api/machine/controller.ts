/** The controller of Machines. The Nodes are those of the server itself: there is no other cluster to reach. */
import type { Controller } from '../../../../src/kube/reconciler/reconciler.ts';
import type { Report } from '../../../../src/kube/reconciler/plan.ts';
import { pods, type Node, type Pod } from '../../../../src/kube/client/builtin-resources.ts';
import { findForeign } from '../foreign.ts';
import { machines, type Machine } from '../kinds.ts';
import { clusterKeyOf, ownerOf, type CorePorts } from '../ports.ts';
import { confirmAndApply, hasTouched, isDeleting, writeStatus, type Step } from '../step.ts';
import { isSameTemplate } from '../template.ts';
import { planMachine, type ObservedMachine } from './plan.ts';
import { statusOfMachine } from './status.ts';

export class MachineController implements Controller<ObservedMachine, Step> {
  readonly name = 'cluster-api-machine';
  readonly plan = planMachine;
  readonly #ports: CorePorts;

  constructor(ports: CorePorts) {
    this.#ports = ports;
  }

  async observe(key: string): Promise<ObservedMachine | undefined> {
    const { copies, client, resolve, now } = this.#ports;
    const machine = copies.machines.get(key);
    if (machine === undefined) return undefined;
    const { namespace = '' } = machine.metadata;
    const cluster = copies.clusters.get(clusterKeyOf(machine));
    const controlPlane = { reference: cluster?.spec.controlPlaneRef, namespace };
    const node = this.#nodeOf(machine);
    return {
      now: now(),
      machine,
      cluster,
      controlPlane: isDeleting(machine) ? await findForeign(client, resolve, controlPlane) : undefined,
      infrastructure: await findForeign(client, resolve, {
        reference: machine.spec.infrastructureRef,
        namespace,
      }),
      node,
      pods: node !== undefined && isDeleting(machine) ? await this.#podsOn(node) : [],
      isUpToDate: this.#isUpToDate(machine),
    };
  }

  async act(step: Step) {
    return confirmAndApply(this.#ports.client, step);
  }

  async status(observed: ObservedMachine, report: Report<Step>): Promise<void> {
    const { machine: object } = observed;
    if (hasTouched(object, report)) return;
    await writeStatus(this.#ports.client, { resource: machines, object }, statusOfMachine(observed));
  }

  #nodeOf({ spec }: Machine): Node | undefined {
    if (spec.providerID === undefined) return undefined;
    return this.#ports.copies.nodes.find('value', spec.providerID)[0];
  }

  async #podsOn({ metadata }: Node): Promise<readonly Pod[]> {
    const page = await this.#ports.client.listPage(pods, { fieldSelector: `spec.nodeName=${metadata.name}` });
    return page.items;
  }

  #isUpToDate(machine: Machine): boolean | undefined {
    const { sets, deployments } = this.#ports.copies;
    const set = sets.get(ownerOf(machine, 'MachineSet') ?? '');
    const deployment =
      set === undefined ? undefined : deployments.get(ownerOf(set, 'MachineDeployment') ?? '');
    if (set === undefined || deployment === undefined) return undefined;
    return isSameTemplate(set.spec.template, deployment.spec.template);
  }
}
