/** A short cache of servers that were read on their own, to save requests to the provider. */
import type { Provider, Server, ServerAddress } from '../hosts/provider/port.ts';

const recentMs = 60_000;

export interface RecentRead {
  readonly server: Server;
  /** No request has changed the server since. */
  readonly isCurrent: boolean;
}

export class RecentServers {
  readonly #provider: Pick<Provider, 'getServer'>;
  readonly #now: () => number;
  readonly #noted = new Map<string, RecentRead & { readonly at: number }>();

  constructor(provider: Pick<Provider, 'getServer'>, now: () => number) {
    this.#provider = provider;
    this.#now = now;
  }

  note(server: Server): void {
    this.#noted.set(server.id, { server, isCurrent: true, at: this.#now() });
    this.#forget();
  }

  /** A request is about to change the server: the cached state is stale until the next read. */
  touch({ id }: Pick<Server, 'id'>): void {
    const noted = this.#noted.get(id);
    if (noted !== undefined) this.#noted.set(id, { ...noted, isCurrent: false });
  }

  async get(address: ServerAddress): Promise<Server> {
    this.#forget();
    const noted = this.#noted.get(address.id);
    return noted?.isCurrent === true ? noted.server : this.#provider.getServer(address);
  }

  /** Reads are kept for a minute. */
  readSince(id: string, since: number): RecentRead | undefined {
    this.#forget();
    const noted = this.#noted.get(id);
    return noted !== undefined && noted.at >= since ? noted : undefined;
  }

  /** A read in the future was made before the clock was set back, so its age is unknown. */
  #forget(): void {
    const now = this.#now();
    for (const [id, { at }] of this.#noted) if (at > now || at < now - recentMs) this.#noted.delete(id);
  }
}
