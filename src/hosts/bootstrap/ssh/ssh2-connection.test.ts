/** Commands on an open connection: what they get, what they give, and how each ends. The server is in this process. */
import { inspect } from 'node:util';
import type { ServerChannel } from 'ssh2';
import { afterEach, describe, expect, it } from 'vitest';
import {
  failureOf,
  openSshConnection,
  probe,
  type SshConnectionHarness,
} from '../../../../lab/harness/ssh-connection-harness.ts';
import { until, type SshServerOptions } from '../../../../lab/harness/ssh-server.ts';
import { Secret } from '../../../platform/secret.ts';
import { launcher } from './script-launcher.ts';

const opened: SshConnectionHarness[] = [];

afterEach(async () => {
  for (const one of opened.splice(0)) await one.close();
});

async function open(...options: Parameters<typeof openSshConnection>): Promise<SshConnectionHarness> {
  const harness = await openSshConnection(...options);
  opened.push(harness);
  return harness;
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
    const result = await connection.run(script, { ...probe, exitCodes: [0, 3] });
    const droppedBytes = { stdout: 0, stderr: 0 };
    expect(result).toEqual({ exitCode: 3, stdout: 'one\n', stderr: 'two', droppedBytes });
  });

  it('reads its stdin, and neither that nor the script is in its arguments', async () => {
    const { connection, server } = await open();
    const stdin = new Secret('canary of a password');
    const { stdout } = await connection.run('cat\n# a comment\n', { ...probe, stdin });
    expect(stdout).toBe('canary of a password');
    expect(server.commands).toEqual([launcher]);
  });

  it('reads bytes and streams', async () => {
    const { connection } = await open();
    const bytes = Buffer.alloc(300_000, 'x');
    const count = { ...probe, stdin: bytes };
    expect((await connection.run('wc -c', count)).stdout.trim()).toBe('300000');
    const stream = (async function* () {
      for (let at = 0; at < 3; at++) yield bytes;
    })();
    expect((await connection.run('wc -c', { ...probe, stdin: stream })).stdout.trim()).toBe('900000');
  });

  it('may end without reading its stdin', async () => {
    const { connection } = await open();
    const stdin = Buffer.alloc(8 * 1024 * 1024);
    const { stdout } = await connection.run('echo enough', { ...probe, stdin });
    expect(stdout).toBe('enough\n');
  });

  it('may end while its stdin waits for it', async () => {
    const exec = async (channel: ServerChannel): Promise<void> => {
      // All that the host allows has arrived, and nothing was read.
      await until(() => channel.readableLength === 2 * 1024 * 1024);
      channel.exit(0);
      channel.end();
    };
    const { connection } = await open({ exec: (channel) => void exec(channel) });
    const stdin = Buffer.alloc(8 * 1024 * 1024);
    expect((await connection.run('echo enough', { ...probe, stdin })).exitCode).toBe(0);
  });

  it('ends on the host where its stdin cannot be read here', async () => {
    const { exec, running } = hangs();
    const { connection } = await open({ exec });
    const stdin = (async function* () {
      yield Buffer.from('one');
      throw new Error('the disk of this machine');
    })();
    await expect(connection.run('cat', { ...probe, stdin })).rejects.toThrow('the disk of this machine');
    await until(() => running[0]?.writableEnded === true);
  });

  it('leaves the connection to others where its stdin cannot be read here', async () => {
    const { connection } = await open();
    const stdin = (async function* () {
      yield Buffer.from('one');
      throw new Error('the disk of this machine');
    })();
    await expect(connection.run('cat', { ...probe, stdin })).rejects.toThrow('the disk of this machine');
    expect((await connection.run('echo alive', probe)).stdout).toBe('alive\n');
  });

  it('keeps the beginning and the end of a large output', async () => {
    const { connection } = await open();
    const script = 'printf begin; head -c 5000000 /dev/zero; printf end';
    const { stdout, droppedBytes } = await connection.run(script, { ...probe, stdoutMax: 20 });
    expect(stdout).toBe(`begin${'\0'.repeat(5)}\n[4999988 bytes dropped]\n${'\0'.repeat(7)}end`);
    expect(droppedBytes).toEqual({ stdout: 4_999_988, stderr: 0 });
  });

  it('runs beside others on the same connection', async () => {
    const { connection } = await open();
    const ends = await Promise.all([1, 2, 3].map(async (n) => connection.run(`echo ${n}`, probe)));
    expect(ends.map(({ stdout }) => stdout)).toEqual(['1\n', '2\n', '3\n']);
  });
});

describe('a command that fails', () => {
  it('shows the end of its stderr', async () => {
    const { connection } = await open();
    const script = 'for n in 1 2 3 4 5 6 7; do echo "line $n" >&2; done; exit 4';
    const error = await failureOf(connection.run(script, probe));
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
    const error = await failureOf(connection.run(script, { ...probe, stdin }));
    const shown = inspect([error, connection], { depth: 9, showHidden: true });
    expect(shown).toContain('repeats [stdin] | [script]');
    for (const hidden of ['canary-password', 'canary-of-a-script', 'PRIVATE'])
      expect(shown).not.toContain(hidden);
  });

  it('names the signal that ended it', async () => {
    const { connection } = await open();
    const error = await failureOf(connection.run('kill -9 $$', probe));
    expect(error.failure).toMatchObject({ kind: 'command-failed', exit: 'SIGKILL' });
  });

  it('is no command that ended without an exit code', async () => {
    const { connection } = await open({ exec: (channel) => void channel.end() });
    const error = await failureOf(connection.run('true', probe));
    expect(error.message).toContain('the host ended a command without an exit code');
    expect(error.reason).toBe('SSHConnectionLost');
  });
});

describe('a connection ends', () => {
  it('when a command passes its deadline, and with it every other command', async () => {
    const { exec, running } = hangs();
    const { clock, connection, server } = await open({ exec });
    const failures = [
      failureOf(connection.run('sleep 1', { ...probe, name: 'the slow one', deadlineMs: 5_000 })),
      failureOf(connection.run('sleep 2', probe)),
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
    const failed = failureOf(connection.run('true', probe));
    await clock.pass(10_000);
    const during = 'the opening of a session for the probe';
    expect((await failed).failure).toEqual({ kind: 'timed-out', during, limitMs: 10_000 });
    await until(() => server.clients === 0);
    expect(clock.pending).toBe(0);
  });

  it('when the host refuses a session', async () => {
    const { connection } = await open({ session: (_accept, reject) => reject() });
    const error = await failureOf(connection.run('true', probe));
    expect(error.message).toContain('the host refused a session');
    expect(error.reason).toBe('SSHConnectionLost');
  });

  it('when the network breaks in the middle of a command', async () => {
    const { exec, running } = hangs();
    const { clock, connection, proxy } = await open({ exec });
    const failed = failureOf(connection.run('sleep 1', probe));
    await until(() => running.length === 1);
    proxy.cut();
    expect((await failed).failure).toMatchObject({ kind: 'connection-lost', isCanceled: false });
    expect((await failed).reason).toBe('SSHConnectionLost');
    expect((await failureOf(connection.run('true', probe))).reason).toBe('SSHConnectionLost');
    expect(clock.pending).toBe(0);
  });

  it('when the host ends it in the middle of a command', async () => {
    const { exec, running } = hangs();
    const { connection, server } = await open({ exec });
    const failed = failureOf(connection.run('sleep 1', probe));
    await until(() => running.length === 1);
    server.cut();
    const why = 'the host closed it during its use';
    expect((await failed).failure).toEqual({ kind: 'connection-lost', why, isCanceled: false });
  });

  it('when its work is canceled', async () => {
    const { exec, running } = hangs();
    const controller = new AbortController();
    const { connection, server } = await open({ exec }, controller.signal);
    const failed = failureOf(connection.run('sleep 1', probe));
    await until(() => running.length === 1);
    controller.abort();
    expect((await failed).failure).toMatchObject({ kind: 'connection-lost', isCanceled: true });
    await until(() => server.clients === 0);
  });

  it('when it is closed, with the commands on it', async () => {
    const { exec, running } = hangs();
    const { clock, connection, server } = await open({ exec });
    const failed = failureOf(connection.run('sleep 1', probe));
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
    const failed = failureOf(connection.run('sleep 1', { ...probe, deadlineMs: 600_000 }));
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
    expect((await connection.run('echo alive', probe)).stdout).toBe('alive\n');
    expect(server.clients).toBe(1);
  });
});
