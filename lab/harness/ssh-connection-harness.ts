/** An open SSH connection to a server in this process, over a wire that a test can cut and on a clock it moves. */
import { connect, type Socket } from 'node:net';
import { SshError } from '../../src/hosts/bootstrap/ssh/errors.ts';
import type { RunOptions, SshConnection } from '../../src/hosts/bootstrap/ssh/port.ts';
import { ssh2Dialler } from '../../src/hosts/bootstrap/ssh/ssh2-dialler.ts';
import { Secret } from '../../src/platform/secret.ts';
import { ecdsaKey, SshServer, type SshServerOptions } from './ssh-server.ts';
import { TcpProxy } from './tcp-proxy.ts';
import { TestClock } from './test-clock.ts';

export interface SshConnectionHarness {
  readonly clock: TestClock;
  readonly server: SshServer;
  readonly connection: SshConnection;
  /** The socket of the client. */
  readonly socket: Socket;
  readonly proxy: TcpProxy;
  readonly close: () => Promise<void>;
}

export async function openSshConnection(
  options: Partial<SshServerOptions> = {},
  signal?: AbortSignal,
): Promise<SshConnectionHarness> {
  const privateKey = new Secret(ecdsaKey());
  const server = await SshServer.open({ users: [privateKey], ...options });
  const proxy = await TcpProxy.open(server.port);
  const clock = new TestClock(0);
  let socket: Socket | undefined;
  const openSocket = (host: string, port: number): Socket =>
    (socket = connect({ host, port, noDelay: true }));
  const connection = await ssh2Dialler({ clock, openSocket }).dial({
    address: '127.0.0.1',
    port: proxy.port,
    user: 'm1',
    privateKey,
    expected: { kind: 'trust-first' },
    deadlineMs: 15_000,
    ...(signal === undefined ? {} : { signal }),
  });
  if (socket === undefined) throw new Error('no socket was opened');
  const close = async (): Promise<void> => {
    await connection.close();
    await proxy.close();
    await server.close();
  };
  return { clock, server, connection, socket, proxy, close };
}

/** A command that needs nothing special. */
export const probe: RunOptions = {
  name: 'the probe',
  deadlineMs: 60_000,
  stdoutMax: 64 * 1024,
  stderrMax: 16 * 1024,
};

export async function failureOf(work: Promise<unknown>): Promise<SshError> {
  const error: unknown = await work.then(
    () => undefined,
    (thrown: unknown) => thrown,
  );
  if (!(error instanceof SshError)) throw new Error('no failure over SSH', { cause: error });
  return error;
}
