/**
 * A process that brings used Macs back into the pool: it lists, wipes, and renames what it has seen being wiped. It knows
 * only the port to the provider, and remembers nothing beyond its life: a host of which it is not sure is wiped again.
 */
import { isFleetError } from '../../../../src/platform/errors/fleet-error.ts';
import type { Provider, Server } from '../../../../src/hosts/provider/port.ts';
import type { Inhabitant, ProcessEnv } from '../../engine/process.ts';

export const usedPrefix = 'used-';
export const poolPrefix = 'pool-';
const passMs = 120_000;

export interface KeeperOptions {
  readonly env: ProcessEnv;
  readonly provider: Provider;
  readonly zones: readonly string[];
  readonly bug: string | undefined;
  /** Told before a listing begins; what it gives is told which servers were found. */
  readonly listing: (zone: string) => (found: readonly string[]) => void;
}

export class Keeper implements Inhabitant {
  readonly done: Promise<void>;
  readonly #options: KeeperOptions;
  readonly #seenWiping = new Set<string>();
  readonly #ended = Promise.withResolvers<void>();

  constructor(options: KeeperOptions) {
    this.#options = options;
    this.done = this.#ended.promise;
    this.#pass();
  }

  #pass(): void {
    const { clock } = this.#options.env;
    void this.#keepAll().then(() => void clock.after(passMs, () => this.#pass()), this.#ended.reject);
  }

  async #keepAll(): Promise<void> {
    for (const zone of this.#options.zones) await this.#forgiving(() => this.#keepZone(zone));
  }

  async #keepZone(zone: string): Promise<void> {
    const servers = await this.#list(zone);
    for (const server of servers.filter(({ name }) => name.startsWith(usedPrefix)))
      await this.#forgiving(() => this.#keep(server));
  }

  async #list(zone: string): Promise<readonly Server[]> {
    const { provider, listing, bug } = this.#options;
    const found = listing(zone);
    const asked = provider.listServers(zone);
    const servers =
      bug === 'failed-is-empty' ? await asked.catch((): readonly Server[] => [...none]) : await asked;
    found(servers.map(({ id }) => id));
    return servers;
  }

  /** The listing may lag behind, so the host itself is asked. */
  async #keep(listed: Server): Promise<void> {
    const { provider, bug } = this.#options;
    const server = await provider.getServer(listed);
    if (!server.name.startsWith(usedPrefix)) return;
    if (server.status === 'reinstalling') this.#seenWiping.add(server.id);
    if (server.status !== 'ready') return;
    if (bug === 'rename-first') await this.#offer(server);
    if (this.#seenWiping.has(server.id)) await this.#offer(server);
    else await this.#wipe(server);
    if (bug === 'asked-is-done') await this.#offer(server);
  }

  async #wipe(server: Server): Promise<void> {
    const { provider, bug } = this.#options;
    try {
      await provider.reinstall(server);
    } catch (error) {
      if (bug !== 'lost-is-done' || !isFleetError(error) || error.reason !== 'OutcomeUnknown') throw error;
      this.#seenWiping.add(server.id);
    }
  }

  /** What was seen is good for one rename: if its answer is lost, somebody may have used the host by the time of the next. */
  async #offer(server: Server): Promise<void> {
    if (this.#options.bug !== 'remembers-too-long') this.#seenWiping.delete(server.id);
    await this.#options.provider.rename(server, `${poolPrefix}${server.id}`);
    this.#seenWiping.delete(server.id);
  }

  /** What the provider refuses now is tried in the next pass. */
  async #forgiving(step: () => Promise<void>): Promise<void> {
    try {
      await step();
    } catch (error) {
      if (!isFleetError(error)) throw error;
      this.#options.env.log(`${error.reason}: ${error.message}`);
    }
  }
}

const none: readonly Server[] = [];
