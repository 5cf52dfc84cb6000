/** Hosts that take too long: to be wiped, to be given back to the provider, or to be usable again. */
import { observedState } from '../hosts/state/host-state.ts';
import { recordOf, type MacHostObject } from '../hosts/state/objects.ts';

const wipingStates: ReadonlySet<string> = new Set(['Releasing', 'Reinstalling']);
/** Whoever else has a host that is not ready has no use for it at the moment, or is told in another way. */
const usedStates: ReadonlySet<string> = new Set(['Pooled', 'Adopting', 'Owned', 'Stranded']);

/** In milliseconds; 0 when there is none. */
export function oldestIn(states: ReadonlySet<string>, hosts: readonly MacHostObject[], now: number): number {
  const ages = hosts.map(({ status }) =>
    status?.since !== undefined && states.has(status.state ?? '') ? now - Date.parse(status.since) : 0,
  );
  return Math.max(0, ...ages);
}

export function oldestWipe(hosts: readonly MacHostObject[], now: number): number {
  return oldestIn(wipingStates, hosts, now);
}

/** Once the provider has taken up that it ends, a rent is only waited for, which may be a day. */
export function oldestTermination(hosts: readonly MacHostObject[], now: number): number {
  const untaken = hosts.filter(({ status }) => status?.reason !== 'Deleted');
  return oldestIn(new Set(['Terminating']), untaken, now);
}

/** Counts from when it was first looked at: no object says since when a host is not ready. A new leader begins anew. */
export class BusyHosts {
  readonly #since = new Map<string, number>();

  oldest(hosts: readonly MacHostObject[], now: number): number {
    const busy = new Set(hosts.filter(isBusy).map(({ metadata }) => metadata.name));
    for (const id of this.#since.keys()) if (!busy.has(id)) this.#since.delete(id);
    for (const id of busy) if (!this.#since.has(id)) this.#since.set(id, now);
    return Math.max(0, ...[...this.#since.values()].map((since) => now - since));
  }
}

function isBusy(host: MacHostObject): boolean {
  return usedStates.has(host.status?.state ?? '') && observedState(recordOf(host)) === 'busy';
}
