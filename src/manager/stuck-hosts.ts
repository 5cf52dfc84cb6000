/** Ages of hosts that take too long to be wiped, to be terminated, or to become usable again. */
import { observedState } from '../hosts/state/host-state.ts';
import { recordOf, type MacHostObject } from '../hosts/state/objects.ts';

const wipingStates: ReadonlySet<string> = new Set(['Releasing', 'Reinstalling']);
/** In other states a busy host is not needed at the moment, or is reported in another way. */
const usedStates: ReadonlySet<string> = new Set(['Pooled', 'Adopting', 'Owned', 'Stranded']);

/** In milliseconds; 0 without such a host. */
export function oldestIn(states: ReadonlySet<string>, hosts: readonly MacHostObject[], now: number): number {
  const ages = hosts.map(({ status }) =>
    status?.since !== undefined && states.has(status.state ?? '') ? now - Date.parse(status.since) : 0,
  );
  return Math.max(0, ...ages);
}

export function oldestWipe(hosts: readonly MacHostObject[], now: number): number {
  return oldestIn(wipingStates, hosts, now);
}

/** After the provider has accepted the end, waiting is normal and may take a day. */
export function oldestTermination(hosts: readonly MacHostObject[], now: number): number {
  const untaken = hosts.filter(({ status }) => status?.reason !== 'Deleted');
  return oldestIn(new Set(['Terminating']), untaken, now);
}

/** No object records since when a host is busy, so the age counts from the first scrape. A new leader starts anew. */
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
