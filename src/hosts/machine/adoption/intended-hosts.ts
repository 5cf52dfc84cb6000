/** Hosts that a machine is about to claim, so that many machines do not choose the same host at once. */

/** How long a host is reserved for its machine before the cache shows the annotation. */
const keptMs = 30_000;

export class IntendedHosts {
  readonly #now: () => number;
  readonly #byHost = new Map<string, { readonly uid: string; readonly until: number }>();

  constructor(now: () => number) {
    this.#now = now;
  }

  keep(hostId: string, uid: string): void {
    this.#byHost.set(hostId, { uid, until: this.#now() + keptMs });
  }

  isOfOther(hostId: string, uid: string): boolean {
    const intended = this.#byHost.get(hostId);
    return intended !== undefined && intended.until > this.#now() && intended.uid !== uid;
  }

  forget(hostId: string): void {
    this.#byHost.delete(hostId);
  }
}
