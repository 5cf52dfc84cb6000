/** Commands on an open connection: what they get, what they give, and how each ends. The server is in this process. */
import { connect, type Socket } from 'node:net';
import { inspect } from 'node:util';
import type { ServerChannel } from 'ssh2';
import { afterEach, describe, expect, it } from 'vitest';
import { ecdsaKey, SshServer, until, type SshServerOptions } from '../../../../lab/harness/ssh-server.ts';
import { TcpProxy } from '../../../../lab/harness/tcp-proxy.ts';
import { TestClock } from '../../../../lab/harness/test-clock.ts';
import { Secret } from '../../../platform/secret.ts';
import { SshError } from './errors.ts';
import type { RunOptions, SshConnection } from './port.ts';
import { launcher } from './script-launcher.ts';
import { ssh2Dialler } from './ssh2-dialler.ts';

const user = new Secret(ecdsaKey());
const hostKeys = [ecdsaKey()];
const opened: { close: () => unknown }[] = [];

afterEach(async () => {
  for (const one of opened.splice(0).toReversed()) await one.close();
});

interface Harness {
  readonly clock: TestClock;
  readonly server: SshServer;
  readonly connection: SshConnection;
  readonly socket: Socket;
  readonly proxy: TcpProxy;
}

async function open(options: Partial<SshServerOptions> = {}, signal?: AbortSignal): Promise<Harness> {
  const server = await SshServer.open({ hostKeys, users: [user], ...options });
  opened.push(server);
  const proxy = await TcpProxy.open(server.port);
  opened.push(proxy);
  const clock = new TestClock(0);
  let socket: Socket | undefined;
  const dialler = ssh2Dialler({
    clock,
    openSocket: (host, port) => (socket = connect({ host, port, noDelay: true })),
  });
  const connection = await dialler.dial({
    address: '127.0.0.1',
    port: proxy.port,
    user: 'm1',
    privateKey: user,
    expected: { kind: 'trust-first' },
    deadlineMs: 15_000,
    ...(signal === undefined ? {} : { signal }),
  });
  opened.push(connection);
  if (socket === undefined) throw new Error('no socket was opened');
  return { clock, server, connection, socket, proxy };
}

const limits: RunOptions = {
  name: 'the probe',
  deadlineMs: 60_000,
  stdoutMax: 64 * 1024,
  stderrMax: 16 * 1024,
};

async function failureOf(work: Promise<unknown>): Promise<SshError> {
  const error: unknown = await work.then(
    () => undefined,
    (thrown: unknown) => thrown,
  );
  if (!(error instanceof SshError)) throw new Error('no failure over SSH', { cause: error });
  return error;
}

/** A host on which every command runs for ever. */
function hangs(): { readonly exec: (channel: ServerChannel) => void; readonly running: ServerChannel[] } {
  const running: ServerChannel[] = [];
  return { running, exec: (channel) => void running.push(channel.resume()) };
}

describe('a command', () => {
  it('gives its output and its exit code', async () => {
    const { connection } = await open();
    const script = 'echo one\nprintf "two" >&2\nexit 3\n';
    const result = await connection.run(script, { ...limits, exitCodes: [0, 3] });
    const droppedBytes = { stdout: 0, stderr: 0 };
    expect(result).toEqual({ exitCode: 3, stdout: 'one\n', stderr: 'two', droppedBytes });
  });

  it('reads its stdin, and neither that nor the script is in its arguments', async () => {
    const { connection, server } = await open();
    const stdin = new Secret('canary of a password');
    const { stdout } = await connection.run('cat\n# a comment\n', { ...limits, stdin });
    expect(stdout).toBe('canary of a password');
    expect(server.commands).toEqual([launcher]);
  });

  it('reads bytes and streams', async () => {
    const { connection } = await open();
    const bytes = Buffer.alloc(300_000, 'x');
    const count = { ...limits, stdin: bytes };
    expect((await connection.run('wc -c', count)).stdout.trim()).toBe('300000');
    const stream = (async function* () {
      for (let at = 0; at < 3; at++) yield bytes;
    })();
    expect((await connection.run('wc -c', { ...limits, stdin: stream })).stdout.trim()).toBe('900000');
  });

  it('may end without reading its stdin', async () => {
    const { connection } = await open();
    const stdin = Buffer.alloc(8 * 1024 * 1024);
    const { stdout } = await connection.run('echo enough', { ...limits, stdin });
    expect(stdout).toBe('enough\n');
  });

  it('fails where its stdin cannot be read here', async () => {
    const { connection } = await open();
    const stdin = (async function* () {
      yield Buffer.from('one');
      throw new Error('the disk of this machine');
    })();
    await expect(connection.run('cat', { ...limits, stdin })).rejects.toThrow('the disk of this machine');
    expect((await connection.run('echo alive', limits)).stdout).toBe('alive\n');
  });

  it('keeps the beginning and the end of a large output', async () => {
    const { connection } = await open();
    const script = 'printf begin; head -c 5000000 /dev/zero; printf end';
    const { stdout, droppedBytes } = await connection.run(script, { ...limits, stdoutMax: 20 });
    expect(stdout).toBe(`begin${'\0'.repeat(5)}\n[4999988 bytes dropped]\n${'\0'.repeat(7)}end`);
    expect(droppedBytes).toEqual({ stdout: 4_999_988, stderr: 0 });
  });

  it('runs beside others on the same connection', async () => {
    const { connection } = await open();
    const ends = await Promise.all([1, 2, 3].map(async (n) => connection.run(`echo ${n}`, limits)));
    expect(ends.map(({ stdout }) => stdout)).toEqual(['1\n', '2\n', '3\n']);
  });
});

describe('a command that fails', () => {
  it('shows the end of its stderr', async () => {
    const { connection } = await open();
    const script = 'for n in 1 2 3 4 5 6 7; do echo "line $n" >&2; done; exit 4';
    const error = await failureOf(connection.run(script, limits));
    const stderr = 'line 3 | line 4 | line 5 | line 6 | line 7';
    expect(error.failure).toEqual({ kind: 'command-failed', name: 'the probe', exit: 4, stderr });
    expect(error.message).toMatch(/^the probe on 127\.0\.0\.1:\d+ ended with exit code 4: line 3/);
    expect([error.kind, error.reason]).toEqual(['unavailable', 'SSHCommandFailed']);
  });

  it('does not show its script, its stdin or the key', async () => {
    const { connection } = await open();
    const stdin = new Secret('canary-password');
    const repeatsItself = 'cat >&2 <<E\ncanary-of-a-script\nE\n';
    const script = `read -r password; echo "repeats $password" >&2\n${repeatsItself}exit 1`;
    const error = await failureOf(connection.run(script, { ...limits, stdin }));
    const shown = inspect([error, connection], { depth: 9, showHidden: true });
    expect(shown).toContain('repeats [stdin] | [script]');
    for (const hidden of ['canary-password', 'canary-of-a-script', 'PRIVATE'])
      expect(shown).not.toContain(hidden);
  });

  it('names the signal that ended it', async () => {
    const { connection } = await open();
    const error = await failureOf(connection.run('kill -9 $$', limits));
    expect(error.failure).toMatchObject({ kind: 'command-failed', exit: 'SIGKILL' });
  });

  it('is no command that ended without an exit code', async () => {
    const { connection } = await open({ exec: (channel) => void channel.end() });
    const error = await failureOf(connection.run('true', limits));
    expect(error.message).toContain('the host ended a command without an exit code');
    expect(error.reason).toBe('SSHConnectionLost');
  });
});

describe('a connection ends', () => {
  it('when a command passes its deadline, and with it every other command', async () => {
    const { exec, running } = hangs();
    const { clock, connection, server } = await open({ exec });
    const failures = [
      failureOf(connection.run('sleep 1', { ...limits, name: 'the slow one', deadlineMs: 5_000 })),
      failureOf(connection.run('sleep 2', limits)),
    ];
    await until(() => running.length === 2);
    await clock.pass(4_999);
    expect(server.clients).toBe(1);
    await clock.pass(1);
    const failure = { kind: 'timed-out', during: 'the slow one', limitMs: 5_000 };
    expect((await Promise.all(failures)).map((error) => error.failure)).toEqual([failure, failure]);
    await until(() => server.clients === 0);
    expect(clock.pending).toBe(0);
  });

  it.each([
    ['session', { session: () => undefined }],
    [
      'command',
      {
        session: (accept: Parameters<NonNullable<SshServerOptions['session']>>[0]) =>
          void accept().on('exec', () => undefined),
      },
    ],
  ])('when the host never answers the request for a %s', async (_, options) => {
    const { clock, connection, server } = await open(options);
    const failed = failureOf(connection.run('true', limits));
    await clock.pass(10_000);
    const during = 'the opening of a session for the probe';
    expect((await failed).failure).toEqual({ kind: 'timed-out', during, limitMs: 10_000 });
    await until(() => server.clients === 0);
    expect(clock.pending).toBe(0);
  });

  it('when the host refuses a session', async () => {
    const { connection } = await open({ session: (_accept, reject) => reject() });
    const error = await failureOf(connection.run('true', limits));
    expect(error.message).toContain('the host refused a session');
    expect(error.reason).toBe('SSHConnectionLost');
  });

  it('when the network breaks in the middle of a command', async () => {
    const { exec, running } = hangs();
    const { clock, connection, proxy } = await open({ exec });
    const failed = failureOf(connection.run('sleep 1', limits));
    await until(() => running.length === 1);
    proxy.cut();
    expect((await failed).failure).toMatchObject({ kind: 'connection-lost', isCanceled: false });
    expect((await failed).reason).toBe('SSHConnectionLost');
    expect((await failureOf(connection.run('true', limits))).reason).toBe('SSHConnectionLost');
    expect(clock.pending).toBe(0);
  });

  it('when its work is canceled', async () => {
    const { exec, running } = hangs();
    const controller = new AbortController();
    const { connection, server } = await open({ exec }, controller.signal);
    const failed = failureOf(connection.run('sleep 1', limits));
    await until(() => running.length === 1);
    controller.abort();
    expect((await failed).failure).toMatchObject({ kind: 'connection-lost', isCanceled: true });
    await until(() => server.clients === 0);
  });

  it('when it is closed, with the commands on it', async () => {
    const { exec, running } = hangs();
    const { clock, connection, server } = await open({ exec });
    const failed = failureOf(connection.run('sleep 1', limits));
    await until(() => running.length === 1);
    await connection.close();
    expect((await failed).message).toContain('it was closed');
    await until(() => server.clients === 0);
    expect(clock.pending).toBe(0);
  });

  it('when it is closed although the host does not answer', async () => {
    const { clock, connection, proxy, socket } = await open();
    proxy.stall();
    const closed = connection.close();
    await clock.pass(2_000);
    await closed;
    expect(socket.destroyed).toBe(true);
  });

  it('when the host says nothing for three intervals', async () => {
    const { exec, running } = hangs();
    const { clock, connection, proxy } = await open({ exec });
    const failed = failureOf(connection.run('sleep 1', { ...limits, deadlineMs: 600_000 }));
    await until(() => running.length === 1);
    // The session is open here as well once its timer is gone; the deadline and the keepalive stay.
    await until(() => clock.pending === 2);
    proxy.stall();
    await clock.pass(60_000);
    expect((await failed).message).toContain('the host was silent for 45 s');
    expect(clock.pending).toBe(0);
  });
});

describe('a connection stays', () => {
  it('while the host answers, although no command runs', async () => {
    const { clock, connection, server, socket } = await open();
    for (let beat = 0; beat < 8; beat++) {
      const { bytesRead } = socket;
      await clock.pass(15_000);
      await until(() => socket.bytesRead > bytesRead);
    }
    expect((await connection.run('echo alive', limits)).stdout).toBe('alive\n');
    expect(server.clients).toBe(1);
  });
});

describe('memory for stdin', () => {
  const pieceBytes = 64 * 1024;
  const bytesMax = 256 * 1024;

  function counted(count: number, atFirst: () => void = () => undefined) {
    const pulled = { bytes: 0 };
    const stdin = (async function* () {
      for (let at = 0; at < count; at++) {
        if (at === 0) atFirst();
        pulled.bytes += pieceBytes;
        yield Buffer.alloc(pieceBytes);
      }
    })();
    return { pulled, stdin };
  }

  it('stays small while the network is slow', async () => {
    const { clock, connection, socket } = await open();
    const { pulled, stdin } = counted(64, () => socket.cork());
    const counting = connection.run('wc -c', { ...limits, stdin });
    await until(() => pulled.bytes > 0);
    await clock.settle();
    expect(pulled.bytes).toBeLessThanOrEqual(bytesMax);
    socket.uncork();
    expect((await counting).stdout.trim()).toBe(String(64 * pieceBytes));
  });

  it('stays small while the command does not read', async () => {
    const running: ServerChannel[] = [];
    const { clock, connection } = await open({ exec: (channel) => void running.push(channel) });
    const { pulled, stdin } = counted(640);
    const failed = failureOf(connection.run('sleep 1', { ...limits, stdin, deadlineMs: 5_000 }));
    const windowBytes = 2 * 1024 * 1024;
    await until(() => (running[0]?.readableLength ?? 0) === windowBytes);
    await clock.settle();
    expect(pulled.bytes - windowBytes).toBeLessThanOrEqual(bytesMax);
    await clock.pass(5_000);
    expect((await failed).reason).toBe('SSHTimeout');
  });
});
