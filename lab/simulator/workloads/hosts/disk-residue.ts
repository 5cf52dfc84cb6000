/**
 * Machines leave files on their hosts. A machine that is given a host must find no files there but its own, or those of an
 * earlier machine of the same namespace and name: that machine is the same owner (a machine created again, a restored backup).
 */
import type { Invariant } from '../../checkers/invariant.ts';
import type { FleetTruth } from './fleet-truth.ts';
import type { Machine } from './stored-objects.ts';

export class Tenants {
  readonly #truth: FleetTruth;
  /** Namespace and name of each machine that was ever seen, by uid. */
  readonly #names = new Map<string, string>();
  #looked = -1;

  constructor(truth: FleetTruth) {
    this.#truth = truth;
  }

  invariant(): Invariant {
    return {
      id: 'S4',
      says: 'a machine is bound to a host only when the files of an earlier owner of another name are wiped',
      when: 'each',
      check: () => {
        if (this.#looked === this.#truth.changes) return undefined;
        this.#looked = this.#truth.changes;
        for (const machine of this.#truth.machines) {
          this.#names.set(machine.uid, nameOf(machine));
          const wrong = this.#moveIn(machine);
          if (wrong !== undefined) return wrong;
        }
        return undefined;
      },
    };
  }

  #moveIn(machine: Machine): string | undefined {
    const { uid, name, serverId } = machine;
    const mac = serverId === '' ? undefined : this.#truth.mac(serverId);
    if (mac === undefined) return undefined;
    const others = mac.residue.filter((left) => this.#names.get(left) !== nameOf(machine));
    if (others.length > 0) return `${name} is given ${serverId}, with files of ${others.join(', ')} on it`;
    if (mac.residue.length === 0) mac.residue = [uid];
    return undefined;
  }
}

function nameOf({ namespace, name }: Machine): string {
  return `${namespace}/${name}`;
}
