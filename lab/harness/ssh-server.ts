/** An SSH server on loopback in this process. A test decides how it answers, and what it never answers. */
import { spawn } from 'node:child_process';
import { generateKeyPairSync } from 'node:crypto';
import { once } from 'node:events';
import ssh2, { type Connection, type ServerChannel, type ServerConfig, type Session } from 'ssh2';
import type { Secret } from '../../src/platform/secret.ts';

export interface SshServerOptions {
  /** Private keys; one of type ECDSA when left out. */
  readonly hostKeys?: readonly string[];
  /** The private keys of the users who are let in. */
  readonly users: readonly Secret[];
  readonly algorithms?: ServerConfig['algorithms'];
  /** Answers a command. A real shell does when left out. */
  readonly exec?: (channel: ServerChannel, command: string) => void;
  /** Takes the place of all sessions. */
  readonly session?: (accept: () => Session, reject: () => void) => void;
}

export class SshServer {
  readonly #server: ssh2.Server;
  readonly #clients = new Set<Connection>();
  /** What reached the server: `connection`, `authentication <method>`, `end`. */
  readonly seen: string[] = [];
  readonly commands: string[] = [];

  private constructor(options: SshServerOptions) {
    const users = options.users.map((key) => publicOf(key.reveal()));
    this.#server = new ssh2.Server(
      {
        hostKeys: [...(options.hostKeys ?? [ecdsaKey()])],
        ...(options.algorithms === undefined ? {} : { algorithms: options.algorithms }),
      },
      (client) => this.#serve(client, users, options),
    );
  }

  static async open(options: SshServerOptions): Promise<SshServer> {
    const opened = new SshServer(options);
    opened.#server.listen(0, '127.0.0.1');
    await once(opened.#server, 'listening');
    return opened;
  }

  get port(): number {
    const address = this.#server.address();
    return typeof address === 'object' && address !== null ? address.port : 0;
  }

  /** How many clients are connected. */
  get clients(): number {
    return this.#clients.size;
  }

  /** Ends all connections from this side. */
  cut(): void {
    for (const client of this.#clients) client.end();
  }

  async close(): Promise<void> {
    this.cut();
    this.#server.close();
    await once(this.#server, 'close');
  }

  #serve(client: Connection, users: readonly Buffer[], options: SshServerOptions): void {
    this.seen.push('connection');
    this.#clients.add(client);
    client.on('error', () => undefined);
    client.on('close', () => {
      this.#clients.delete(client);
      this.seen.push('end');
    });
    client.on('authentication', (request) => {
      this.seen.push(`authentication ${request.method}`);
      const isKnown = request.method === 'publickey' && users.some((key) => key.equals(request.key.data));
      if (isKnown) request.accept();
      else request.reject(['publickey']);
    });
    client.on('session', (accept, reject) => {
      if (options.session !== undefined) return options.session(accept, reject);
      accept().on('exec', (acceptExec, _reject, { command }) => {
        this.commands.push(command);
        (options.exec ?? runInShell)(acceptExec(), command);
      });
    });
  }
}

function runInShell(channel: ServerChannel, command: string): void {
  const shell = spawn('/bin/sh', ['-c', command]);
  channel.pipe(shell.stdin);
  // The command may end before it has read everything.
  shell.stdin.on('error', () => undefined);
  shell.stdout.pipe(channel, { end: false });
  shell.stderr.pipe(channel.stderr, { end: false });
  shell.on('close', (code, signal) => {
    if (code === null) channel.exit(signal?.replace('SIG', '') ?? 'KILL');
    else channel.exit(code);
    channel.end();
  });
}

/** In PEM, the format of older tools: the key maker of the library makes broken Ed25519 keys at times. */
export function ecdsaKey(): string {
  const { privateKey } = generateKeyPairSync('ec', { namedCurve: 'prime256v1' });
  return String(privateKey.export({ type: 'sec1', format: 'pem' }));
}

export function rsaKey(): string {
  const { privateKey } = generateKeyPairSync('rsa', { modulusLength: 2048 });
  return String(privateKey.export({ type: 'pkcs1', format: 'pem' }));
}

/** In the format of the wire. */
export function publicOf(privateKey: string): Buffer {
  const [key] = [ssh2.utils.parseKey(privateKey)].flat();
  if (key === undefined || key instanceof Error) throw new Error('an unreadable key', { cause: key });
  return key.getPublicSSH();
}

/** Waits for a state that events of sockets bring about. */
export async function until(isSo: () => boolean): Promise<void> {
  while (!isSo()) await new Promise<void>((resolve) => void setImmediate(resolve));
}
