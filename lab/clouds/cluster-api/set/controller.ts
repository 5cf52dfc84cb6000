/** The controller of MachineSets. */
import type { Controller } from '../../../../src/kube/reconciler/reconciler.ts';
import type { Report } from '../../../../src/kube/reconciler/plan.ts';
import { clonedKindOf, findForeign, type ForeignKind } from '../foreign.ts';
import { machines, machineSets, type Machine, type MachineSet } from '../kinds.ts';
import { byAge, clusterKeyOf, drawSuffix, type CorePorts } from '../ports.ts';
import {
  confirmAndApply,
  hasTouched,
  isDeleting,
  isOwnedBy,
  placeOf,
  writeStatus,
  type Step,
} from '../step.ts';
import { planSet, statusOfSet, type ObservedSet } from './plan.ts';

export class SetController implements Controller<ObservedSet, Step> {
  readonly name = 'cluster-api-set';
  readonly plan = planSet;
  readonly #ports: CorePorts;

  constructor(ports: CorePorts) {
    this.#ports = ports;
  }

  async observe(key: string): Promise<ObservedSet | undefined> {
    const { copies, client, resolve, now, random } = this.#ports;
    const set = copies.sets.get(key);
    if (set === undefined) return undefined;
    const { namespace = '' } = set.metadata;
    const reference = set.spec.template.spec.infrastructureRef;
    const clone = resolve({ ...reference, kind: clonedKindOf(reference) });
    const all = await this.#machinesOf(set);
    return {
      now: now(),
      set,
      cluster: copies.clusters.get(clusterKeyOf(set)),
      machines: all,
      template: await findForeign(client, resolve, { reference, namespace }),
      clone,
      bare: await this.#bareAmong(all, clone),
      suffixes: Array.from({ length: Math.max(0, set.spec.replicas - all.length) }, () => drawSuffix(random)),
    };
  }

  async act(step: Step) {
    return confirmAndApply(this.#ports.client, step);
  }

  async status(observed: ObservedSet, report: Report<Step>): Promise<void> {
    const { set: object } = observed;
    if (hasTouched(object, report)) return;
    await writeStatus(this.#ports.client, { resource: machineSets, object }, statusOfSet(observed));
  }

  /** Past the cache: a new Machine that the cache misses would be created twice. */
  async #machinesOf(set: MachineSet): Promise<readonly Machine[]> {
    const { namespace = '' } = set.metadata;
    const { items } = await this.#ports.client.listPage(machines, { namespace });
    return items.filter((machine) => isOwnedBy(machine, set)).toSorted(byAge);
  }

  /** Infrastructure is created once: a Machine with a phase has had its infrastructure. */
  async #bareAmong(all: readonly Machine[], clone: ForeignKind | undefined): Promise<readonly Machine[]> {
    if (clone === undefined) return [];
    const bare: Machine[] = [];
    for (const machine of all.filter((one) => one.status?.phase === undefined && !isDeleting(one)))
      if ((await this.#ports.client.find(clone.resource, placeOf(machine))) === undefined) bare.push(machine);
    return bare;
  }
}
