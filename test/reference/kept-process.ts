/** `muster manager` or `muster dispatch` as a process that is restarted whenever it ends, like in Kubernetes. */
import { join } from 'node:path';
import { launchServer, type Server } from './launch/server.ts';

export interface KeptOrder {
  readonly command: 'manager' | 'dispatch';
  /** The prefix of its identities. */
  readonly name: string;
  readonly dir: string;
  readonly port: number;
  readonly args: readonly string[];
  readonly env: Readonly<Record<string, string>>;
  readonly unwanted: AbortSignal;
}

export class KeptProcess {
  readonly name: string;
  readonly #order: KeptOrder;
  readonly #over: Promise<void>;
  #server: Server | undefined;
  #isWanted = true;
  starts = 0;

  constructor(order: KeptOrder) {
    this.name = order.name;
    this.#order = order;
    this.#over = this.#keep();
  }

  get isUp(): boolean {
    return this.#server !== undefined;
  }

  /** Kills without a signal to the program, like a power loss; false when the process is not up. */
  kill(): boolean {
    if (this.#server === undefined) return false;
    process.kill(this.#server.pid, 'SIGKILL');
    return true;
  }

  async stop(): Promise<void> {
    this.#isWanted = false;
    await this.#server?.stop();
    await this.#over;
  }

  async #keep(): Promise<void> {
    while (this.#isWanted && !this.#order.unwanted.aborted) {
      this.starts += 1;
      this.#server = await this.#launch();
      // A stop during the start: stop() had no server to end.
      if (!this.#isWanted) await this.#server.stop();
      await this.#server.gone;
      this.#server = undefined;
    }
  }

  #launch(): Promise<Server> {
    const { command: subcommand, name, dir, port, args, env, unwanted } = this.#order;
    const listen = `127.0.0.1:${port}`;
    return launchServer({
      name: `${name}-${this.starts}`,
      command: join(process.cwd(), 'bin', 'muster'),
      args: [subcommand, '--probe-listen', listen, ...args],
      dir,
      ports: [port],
      env: { ...process.env, ...env, HOSTNAME: name },
      unwanted,
      isHealthy: async () => (await fetch(`http://${listen}/healthz`)).ok,
    });
  }
}
