/** `muster manager` as a process that is started again whenever it ends, as Kubernetes would do it. */
import { join } from 'node:path';
import { launchServer, type Server } from '../real/launch/server.ts';

export interface KeptOrder {
  /** What its identities begin with. */
  readonly name: string;
  readonly dir: string;
  readonly port: number;
  readonly args: readonly string[];
  readonly env: Readonly<Record<string, string>>;
  readonly unwanted: AbortSignal;
}

export class KeptManager {
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

  /** Without a word, as a node that loses power. */
  kill(): void {
    if (this.#server !== undefined) process.kill(this.#server.pid, 'SIGKILL');
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
      await this.#server.gone;
      this.#server = undefined;
    }
  }

  #launch(): Promise<Server> {
    const { name, dir, port, args, env, unwanted } = this.#order;
    const listen = `127.0.0.1:${port}`;
    return launchServer({
      name: `${name}-${this.starts}`,
      command: join(process.cwd(), 'bin', 'muster'),
      args: ['manager', '--probe-listen', listen, ...args],
      dir,
      ports: [port],
      env: { ...process.env, ...env, HOSTNAME: name },
      unwanted,
      isHealthy: async () => (await fetch(`http://${listen}/healthz`)).ok,
    });
  }
}
