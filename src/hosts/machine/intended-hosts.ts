/** Hosts that a machine is about to claim, so that many machines at once do not all want the same host. */

/** How long a host is left to its machine before the cache shows the intent. */
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
