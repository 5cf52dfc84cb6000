/** The SSH server of a simulated Mac, on loopback: one user, by public key only, and only commands. */
import { once } from 'node:events';
import { createServer, type Server, type Socket } from 'node:net';
import ssh2, {
  type AuthContext,
  type Connection,
  type ParsedKey,
  type ServerChannel,
  type Session,
} from 'ssh2';
import type { ShellSession } from './shell-session.ts';

export interface SshListenerPorts {
  readonly user: string;
  /** In OpenSSH format. Read at each attempt. */
  readonly authorizedKeys: () => readonly string[];
  readonly start: (channel: ServerChannel, command: string) => ShellSession;
}

/** `silent`: accepts and never answers, as a wedged sshd. `down`: no machine answers. */
export type Reachability = 'open' | 'silent' | 'down';

export class SshListener {
  reachability: Reachability = 'open';
  readonly #ports: SshListenerPorts;
  readonly #server: Server;
  readonly #sockets = new Set<Socket>();
  readonly #sessions = new Set<ShellSession>();
  #ssh: ssh2.Server | undefined;

  constructor(ports: SshListenerPorts) {
    this.#ports = ports;
    this.#server = createServer({ noDelay: true }, (socket) => this.#accept(socket));
  }

  async listen(): Promise<void> {
    this.#server.listen(0, '127.0.0.1');
    await once(this.#server, 'listening');
  }

  get port(): number {
    const address = this.#server.address();
    return typeof address === 'object' && address !== null ? address.port : 0;
  }

  /** For new connections. */
  useHostKey(privateKey: string): void {
    this.#ssh = new ssh2.Server({ hostKeys: [privateKey] }, (client) => this.#serve(client));
  }

  /** Ends every connection, and the commands on them. */
  cut(): void {
    for (const socket of this.#sockets) socket.destroy();
    for (const session of this.#sessions) session.end();
  }

  async close(): Promise<void> {
    this.cut();
    const closed = once(this.#server, 'close');
    this.#server.close();
    await closed;
  }

  #accept(socket: Socket): void {
    // A client that goes away is no error of the server.
    socket.on('error', () => socket.destroy());
    if (this.reachability === 'down') return void socket.destroy();
    this.#sockets.add(socket);
    socket.on('close', () => this.#sockets.delete(socket));
    if (this.reachability === 'open') this.#ssh?.injectSocket(socket);
    // Reads and answers nothing; without a reader the end of the client would not be seen.
    else socket.resume();
  }

  #serve(client: Connection): void {
    const sessions = new Set<ShellSession>();
    const endAll = (): void => {
      for (const session of sessions) session.end();
    };
    client.on('error', endAll);
    client.on('close', () => {
      endAll();
      for (const session of sessions) this.#sessions.delete(session);
    });
    client.on('authentication', (request) => this.#authenticate(request));
    client.on('session', (accept) => {
      this.#offerCommands(accept(), (session) => {
        sessions.add(session);
        this.#sessions.add(session);
      });
    });
  }

  /** The library refuses terminals, shells, subsystems and forwarding by itself, as nobody listens for them. */
  #offerCommands(session: Session, started: (session: ShellSession) => void): void {
    let running: ShellSession | undefined;
    session.on('exec', (accept, reject, { command }) => {
      if (running !== undefined) return reject();
      const channel = accept();
      running = this.#ports.start(channel, command);
      started(running);
      channel.on('close', () => running?.end());
    });
    session.on('signal', (accept, _reject, { name }) => {
      running?.signal(name);
      accept?.();
    });
  }

  #authenticate(request: AuthContext): void {
    if (request.method !== 'publickey' || request.username !== this.#ports.user)
      return request.reject(['publickey']);
    const key = this.#authorized(request.key.data);
    const { signature, blob } = request;
    // Without a signature the client asks first whether the key would do.
    const isProved =
      signature === undefined ||
      blob === undefined ||
      isSigned(key, { blob, signature, hash: request.hashAlgo });
    if (key !== undefined && isProved) return request.accept();
    request.reject(['publickey']);
  }

  #authorized(wire: Buffer): ParsedKey | undefined {
    return this.#ports
      .authorizedKeys()
      .flatMap((text) => ssh2.utils.parseKey(text))
      .find((key): key is ParsedKey => !(key instanceof Error) && key.getPublicSSH().equals(wire));
  }
}

function isSigned(
  key: ParsedKey | undefined,
  {
    blob,
    signature,
    hash,
  }: { readonly blob: Buffer; readonly signature: Buffer; readonly hash: string | undefined },
): boolean {
  return key?.verify(blob, signature, hash) === true;
}
