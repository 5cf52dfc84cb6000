/** For tests: simulated Macs that are closed after each test, and an SSH client that runs scripts on them. */
import { once } from 'node:events';
import { connect } from 'node:net';
import ssh2, { type Client, type ConnectConfig } from 'ssh2';
import { anyRandom, wallClock } from '../../harness/wall-clock.ts';
import { makeHostKey } from './host-key.ts';
import type { MacOptions, MacPorts } from './mac-options.ts';
import { SimulatedMac } from './simulated-mac.ts';

export interface Outcome {
  readonly exit: number | string | undefined;
  readonly stdout: string;
  readonly stderr: string;
}

const userKey = makeHostKey();
export const testPorts: MacPorts = { clock: wallClock, random: anyRandom };

export class TestMacs {
  readonly #opened: (() => unknown)[] = [];

  async open(options: Partial<MacOptions> = {}, ports: MacPorts = testPorts): Promise<SimulatedMac> {
    const mac = await SimulatedMac.open({ authorizedKeys: [userKey.publicKey], ...options }, ports);
    this.#opened.push(() => mac.close());
    return mac;
  }

  async connect(mac: { readonly port: number }, config: ConnectConfig = {}): Promise<TestClient> {
    const client = await TestClient.connect(mac.port, config);
    this.#opened.push(() => client.close());
    return client;
  }

  /** A connection for one script. */
  async run(mac: { readonly port: number }, script: string, stdin?: string | Buffer): Promise<Outcome> {
    const client = await TestClient.connect(mac.port);
    try {
      return await client.run(script, stdin);
    } finally {
      client.close();
    }
  }

  async close(): Promise<void> {
    for (const close of this.#opened.splice(0).toReversed()) await close();
  }
}

export class TestClient {
  readonly client: Client;
  /** As OpenSSH prints it, without its prefix and padding: hexadecimal SHA-256. */
  hostKey = '';

  private constructor() {
    this.client = new ssh2.Client();
  }

  static async connect(port: number, config: ConnectConfig = {}): Promise<TestClient> {
    const made = new TestClient();
    const { client } = made;
    // A connection that the Mac cuts is what some tests are about.
    client.on('error', () => client.end());
    const ready = once(client, 'ready');
    client.connect({
      username: 'm1',
      privateKey: userKey.privateKey,
      hostHash: 'sha256',
      hostVerifier: (digest: string) => {
        made.hostKey = digest;
        return true;
      },
      ...config,
      sock: config.sock ?? connect({ host: '127.0.0.1', port, noDelay: true }),
    });
    await ready;
    return made;
  }

  /** `exit` is undefined where the connection broke. */
  async run(script: string, stdin: string | Buffer = ''): Promise<Outcome> {
    const { promise, resolve } = Promise.withResolvers<Outcome>();
    this.client.exec(script, (error, channel) => {
      if (error !== undefined) return resolve({ exit: undefined, stdout: '', stderr: error.message });
      const [stdout, stderr]: [Buffer[], Buffer[]] = [[], []];
      channel.on('data', (piece: Buffer) => stdout.push(piece));
      channel.stderr.on('data', (piece: Buffer) => stderr.push(piece));
      channel.on('close', (code?: number | null, signal?: string) => {
        const [out, err] = [stdout, stderr].map((pieces) => Buffer.concat(pieces).toString());
        resolve({ exit: code ?? signal ?? undefined, stdout: out ?? '', stderr: err ?? '' });
      });
      channel.end(stdin);
    });
    return promise;
  }

  close(): void {
    this.client.end();
  }
}
