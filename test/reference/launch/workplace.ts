/**
 * The temporary folder, the ports and the servers of one harness, released together: servers in the reverse order of
 * their start, then the ports, then the folder. After a failure the logs stay.
 */
import { chmod, glob, mkdtemp, readdir, rename, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { MissingReferenceError } from '../reference-error.ts';
import { isAlive, reservePorts } from './ports.ts';
import { launchServer, type Server, type ServerOrder } from './server.ts';

export class Workplace {
  #dir: string;
  readonly #servers: Server[] = [];
  readonly #launching = new Set<Promise<Server>>();
  /** Servers that a test ended on purpose. */
  readonly #killed = new Set<Server>();
  readonly #closing = new AbortController();
  readonly #death = new AbortController();
  readonly #releases: (() => Promise<void>)[] = [];

  private constructor(dir: string) {
    this.#dir = dir;
  }

  static async open(name: string): Promise<Workplace> {
    await sweepAbandoned();
    const dir = await mkdtemp(join(tmpdir(), `muster-${name}-${process.pid}-`));
    // A server under another user must be able to reach its own folder below.
    await chmod(dir, 0o711);
    return new Workplace(dir);
  }

  get dir(): string {
    return this.#dir;
  }

  get servers(): readonly Server[] {
    return this.#servers;
  }

  /** Aborted, with the name of the server, when a server ends without a stop. */
  get died(): AbortSignal {
    return this.#death.signal;
  }

  async ports(count: number): Promise<readonly number[]> {
    const ports = await reservePorts(count);
    this.#releases.push(() => ports.release());
    return ports.numbers;
  }

  async launch(order: Omit<ServerOrder, 'dir' | 'unwanted'>): Promise<Server> {
    const launching = launchServer({ ...order, dir: this.#dir, unwanted: this.#closing.signal });
    this.#launching.add(launching);
    const server = await launching;
    this.#servers.push(server);
    void this.#watchOver(server);
    return server;
  }

  async #watchOver(server: Server): Promise<void> {
    await server.gone;
    if (this.#closing.signal.aborted || this.#killed.has(server)) return;
    this.#death.abort(
      new MissingReferenceError(
        `${server.name} (process ${server.pid}) died while it was in use`,
        `read its log: ${server.log}`,
      ),
    );
  }

  /** Kills a server without a signal, like a crash. */
  async kill(server: Server): Promise<void> {
    this.#killed.add(server);
    process.kill(server.pid, 'SIGKILL');
    await server.gone;
  }

  async close(kept: 'keep-logs' | 'remove' = 'remove'): Promise<void> {
    this.#closing.abort();
    // Wait for servers that are still starting after another failed, or they would outlive this process.
    await Promise.allSettled(this.#launching);
    for (const server of this.#servers.splice(0).toReversed()) await server.stop();
    for (const release of this.#releases.splice(0)) await release();
    if (kept === 'remove') await rm(this.#dir, { recursive: true, force: true });
    else this.#dir = await keepLogs(this.#dir);
  }
}

/** Data, keys and kubeconfigs explain no failure and are removed. */
async function keepLogs(dir: string): Promise<string> {
  const others = (await readdir(dir)).filter((name) => !name.endsWith('.log'));
  for (const name of others) await rm(join(dir, name), { recursive: true, force: true });
  const kept = join(tmpdir(), basename(dir).replace('muster-', 'muster-logs-'));
  await rename(dir, kept);
  return kept;
}

/** A killed run could not clean up; a later run does, by the process id in the name. */
async function sweepAbandoned(): Promise<void> {
  for await (const dir of glob(join(tmpdir(), 'muster-*-*-*'))) {
    const pid = /^muster-(?!logs-).*-(\d+)-[^-]+$/.exec(basename(dir))?.[1];
    if (pid !== undefined && !isAlive(Number(pid))) await rm(dir, { recursive: true, force: true });
  }
}
