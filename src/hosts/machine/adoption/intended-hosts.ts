/**
 * Hosts that a machine is about to claim, so that many machines do not choose the same host at once: by the cache, and
 * for a short while by the memory of this process, which is ahead of the cache.
 */
import { recordOf, type MacHostObject, type MachineObject } from '../../state/objects.ts';
import { hasGivenUp } from '../../state/ownership.ts';
import type { MachinePorts } from '../ports.ts';

type Ports = Pick<MachinePorts, 'meaning' | 'now'>;

/** Machines with another uid that have the host, or are about to claim it. */
export function othersNaming(
  { meaning }: Pick<Ports, 'meaning'>,
  host: MacHostObject,
  own: string,
): readonly MachineObject[] {
  const all = meaning(host.metadata.name);
  return all.filter((one) => one.metadata.uid !== own && !hasGivenUp(one, recordOf(host)));
}

/** How long a host is reserved for its machine before the cache shows the annotation. */
const keptMs = 30_000;

export class IntendedHosts {
  readonly #ports: Ports;
  readonly #byHost = new Map<string, { readonly uid: string; readonly until: number }>();

  constructor(ports: Ports) {
    this.#ports = ports;
  }

  keep(hostId: string, uid: string): void {
    this.#byHost.set(hostId, { uid, until: this.#ports.now() + keptMs });
  }

  isOfOther(host: MacHostObject, uid: string): boolean {
    const intended = this.#byHost.get(host.metadata.name);
    const isKept = intended !== undefined && intended.until > this.#ports.now() && intended.uid !== uid;
    return isKept || othersNaming(this.#ports, host, uid).length > 0;
  }

  forget(hostId: string): void {
    this.#byHost.delete(hostId);
  }
}
