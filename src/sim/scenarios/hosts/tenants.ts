/** What machines do with their hosts: they leave files there. Whoever is given a host must find none but its own. */
import type { Invariant } from '../../oracles/invariant.ts';
import type { FleetTruth, Machine } from './fleet-truth.ts';

export class Tenants {
  readonly #truth: FleetTruth;
  #looked = -1;

  constructor(truth: FleetTruth) {
    this.#truth = truth;
  }

  invariant(): Invariant {
    return {
      id: 'S4',
      says: 'a machine is bound to a host only when the files of the one before are wiped',
      when: 'each',
      check: () => {
        if (this.#looked === this.#truth.changes) return undefined;
        this.#looked = this.#truth.changes;
        for (const machine of this.#truth.machines) {
          const wrong = this.#moveIn(machine);
          if (wrong !== undefined) return wrong;
        }
        return undefined;
      },
    };
  }

  #moveIn({ uid, name, serverId }: Machine): string | undefined {
    const mac = serverId === '' ? undefined : this.#truth.mac(serverId);
    if (mac === undefined) return undefined;
    const others = mac.residue.filter((left) => left !== uid);
    if (others.length > 0) return `${name} is given ${serverId}, with files of ${others.join(', ')} on it`;
    if (mac.residue.length === 0) mac.residue = [uid];
    return undefined;
  }
}
