/** Servers that were read by themselves a moment ago: who needs the same one again need not ask the provider again. */
import type { Provider, Server, ServerAddress } from '../hosts/provider/port.ts';

const recentMs = 60_000;

export interface RecentRead {
  readonly server: Server;
  /** Nothing was asked of the server since. */
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

  /** Something is about to be asked of the server: until it is read again nobody knows what has come of it. */
  touch({ id }: Pick<Server, 'id'>): void {
    const noted = this.#noted.get(id);
    if (noted !== undefined) this.#noted.set(id, { ...noted, isCurrent: false });
  }

  async get(address: ServerAddress): Promise<Server> {
    this.#forget();
    const noted = this.#noted.get(address.id);
    return noted?.isCurrent === true ? noted.server : this.#provider.getServer(address);
  }

  /** Remembered for a minute. */
  readSince(id: string, since: number): RecentRead | undefined {
    this.#forget();
    const noted = this.#noted.get(id);
    return noted !== undefined && noted.at >= since ? noted : undefined;
  }

  /** One that is still to come was read before the clock was set back, and nobody can say how long ago. */
  #forget(): void {
    const now = this.#now();
    for (const [id, { at }] of this.#noted) if (at > now || at < now - recentMs) this.#noted.delete(id);
  }
}
