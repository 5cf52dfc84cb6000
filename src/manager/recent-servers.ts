/** Servers that were read by themselves a moment ago: who needs the same one again need not ask the provider again. */
import type { Provider, Server, ServerAddress } from '../provider/port.ts';

const recentMs = 60_000;

export class RecentServers {
  readonly #provider: Pick<Provider, 'getServer'>;
  readonly #now: () => number;
  readonly #noted = new Map<string, { readonly server: Server; readonly at: number }>();

  constructor(provider: Pick<Provider, 'getServer'>, now: () => number) {
    this.#provider = provider;
    this.#now = now;
  }

  note(server: Server): void {
    this.#noted.delete(server.id);
    this.#noted.set(server.id, { server, at: this.#now() });
    this.#forget();
  }

  async get(address: ServerAddress): Promise<Server> {
    this.#forget();
    const noted = this.#noted.get(address.id);
    return noted === undefined ? this.#provider.getServer(address) : noted.server;
  }

  /** Remembered for a minute. */
  readSince(id: string, since: number): Server | undefined {
    const noted = this.#noted.get(id);
    return noted !== undefined && noted.at >= since ? noted.server : undefined;
  }

  /** The oldest come first, for one that is noted again is put behind. */
  #forget(): void {
    const oldest = this.#now() - recentMs;
    for (const [id, { at }] of this.#noted) {
      if (at >= oldest) return;
      this.#noted.delete(id);
    }
  }
}
