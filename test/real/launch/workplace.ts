/**
 * The temporary folder, the ports and the servers of one bring-up, given back together: servers in the
 * reverse order of their start, then the ports, then the folder, which stays when something failed.
 */
import { chmod, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { reservePorts } from './ports.ts';
import { launchServer, type Server, type ServerOrder } from './server.ts';

export class Workplace {
  readonly dir: string;
  readonly #servers: Server[] = [];
  readonly #launching = new Set<Promise<Server>>();
  readonly #closing = new AbortController();
  readonly #releases: (() => Promise<void>)[] = [];

  private constructor(dir: string) {
    this.dir = dir;
  }

  static async open(name: string): Promise<Workplace> {
    const dir = await mkdtemp(join(tmpdir(), `muster-${name}-`));
    // A server that runs as another user must be able to reach its own folder below.
    await chmod(dir, 0o711);
    return new Workplace(dir);
  }

  get servers(): readonly Server[] {
    return this.#servers;
  }

  async ports(count: number): Promise<readonly number[]> {
    const ports = await reservePorts(count);
    this.#releases.push(() => ports.release());
    return ports.numbers;
  }

  async launch(order: Omit<ServerOrder, 'dir' | 'unwanted'>): Promise<Server> {
    const launching = launchServer({ ...order, dir: this.dir, unwanted: this.#closing.signal });
    this.#launching.add(launching);
    const server = await launching;
    this.#servers.push(server);
    return server;
  }

  async close(kept: 'keep-logs' | 'remove' = 'remove'): Promise<void> {
    this.#closing.abort();
    // One that is still starting when another has failed must be waited for, or it would outlive us.
    await Promise.allSettled(this.#launching);
    for (const server of this.#servers.splice(0).toReversed()) await server.stop();
    for (const release of this.#releases.splice(0)) await release();
    if (kept === 'remove') await rm(this.dir, { recursive: true, force: true });
  }
}
