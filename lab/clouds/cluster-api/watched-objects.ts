/** Maps a change of one object to the objects to reconcile. */
import type { KubeObject } from '../../../src/kube/client/kube-object.ts';
import { keyOf } from '../../../src/kube/client/kube-object.ts';
import type { Machine, MachineDeployment, MachineSet } from './kinds.ts';
import { clusterKeyOf, ownerOf, type Copies } from './ports.ts';

const ownerKinds = ['Cluster', 'MachineDeployment', 'MachineSet', 'Machine'] as const;

export class Visits {
  readonly #copies: Copies;
  readonly #add: (entry: string) => void;
  readonly #ends: (() => void)[] = [];

  /** An entry is the kind and the key of an object. */
  constructor(copies: Copies, add: (entry: string) => void) {
    this.#copies = copies;
    this.#add = add;
  }

  begin(): void {
    const { clusters, deployments, sets, machines, nodes } = this.#copies;
    this.#ends.push(
      clusters.listen(({ key }) => this.#wholeCluster(key)),
      deployments.listen(({ key, object }) => this.#wholeDeployment(key, object)),
      sets.listen(({ key, object, before }) => this.#withOwners(`MachineSet ${key}`, object ?? before)),
      machines.listen(({ key, object, before }) => this.#withOwners(`Machine ${key}`, object ?? before)),
      nodes.listen(({ object, before }) => this.#machinesOf((object ?? before)?.spec?.providerID)),
    );
  }

  end(): void {
    for (const end of this.#ends.splice(0)) end();
  }

  /** Adds the owner; an object of a provider is reconciled through its owner. */
  ownersOf(object: KubeObject | undefined): void {
    if (object === undefined) return;
    for (const kind of ownerKinds) {
      const key = ownerOf(object, kind);
      if (key !== undefined) this.#add(`${kind} ${key}`);
    }
  }

  #withOwners(entry: string, object: MachineSet | Machine | undefined): void {
    this.#add(entry);
    this.ownersOf(object);
    if (object !== undefined) this.#add(`Cluster ${clusterKeyOf(object)}`);
  }

  #wholeCluster(key: string): void {
    const { deployments, sets, machines } = this.#copies;
    this.#add(`Cluster ${key}`);
    const isOfIt = (object: MachineDeployment | MachineSet | Machine): boolean =>
      clusterKeyOf(object) === key;
    for (const one of deployments.all().filter(isOfIt)) this.#add(`MachineDeployment ${keyOf(one)}`);
    for (const one of sets.all().filter(isOfIt)) this.#add(`MachineSet ${keyOf(one)}`);
    for (const one of machines.all().filter(isOfIt)) this.#add(`Machine ${keyOf(one)}`);
  }

  /** Whether a Machine is up to date depends on the deployment. */
  #wholeDeployment(key: string, object: MachineDeployment | undefined): void {
    this.#add(`MachineDeployment ${key}`);
    if (object === undefined) return;
    const sets = this.#copies.sets.all().filter((set) => ownerOf(set, 'MachineDeployment') === key);
    const keys = new Set(sets.map(keyOf));
    for (const machine of this.#copies.machines.all())
      if (keys.has(ownerOf(machine, 'MachineSet') ?? '')) this.#add(`Machine ${keyOf(machine)}`);
  }

  #machinesOf(providerID: string | undefined): void {
    if (providerID === undefined) return;
    for (const machine of this.#copies.machines.all())
      if (machine.spec.providerID === providerID) this.#add(`Machine ${keyOf(machine)}`);
  }
}
