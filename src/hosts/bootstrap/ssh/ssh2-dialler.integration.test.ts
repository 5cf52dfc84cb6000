/** The SSH transport against OpenSSH's own server, and its launcher below the shell that macOS gives to users. */
import { spawnSync } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { existsSync, mkdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { connect, type Socket } from 'node:net';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { failureOf, probe } from '../../../../lab/harness/ssh-connection-harness.ts';
import { ecdsaKey, until } from '../../../../lab/harness/ssh-server.ts';
import { TcpProxy } from '../../../../lab/harness/tcp-proxy.ts';
import { TestClock } from '../../../../lab/harness/test-clock.ts';
import { pathOf } from '../../../../test/reference/bring-up.ts';
import { describeIntegration } from '../../../../test/reference/describe-integration.ts';
import { startSshd } from '../../../../test/reference/launch/sshd.ts';
import { runCommand } from '../../../../test/reference/run-command.ts';
import { Secret } from '../../../platform/secret.ts';
import { fileSource } from './file-source.ts';
import type { Fingerprint, SshConnection, SshTarget } from './port.ts';
import { frameScript, launcher } from './script-launcher.ts';
import { ssh2Dialler } from './ssh2-dialler.ts';

const trustFirst: SshTarget['expected'] = { kind: 'trust-first' };

await describeIntegration(
  {
    name: 'the SSH transport on OpenSSH',
    by: 'sshd',
    setUp: async ({ bench, workplace }) => {
      const sshd = await startSshd(workplace, pathOf(bench, 'sshd'));
      const { stdout } = await runCommand('ssh-keygen', ['-l', '-E', 'sha256', '-f', `${sshd.hostKey}.pub`]);
      const fingerprint: Fingerprint = `SHA256:${/ SHA256:(\S+) /.exec(stdout)?.[1]}`;
      const log = (): string => readFileSync(join(workplace.dir, 'sshd.log'), 'utf8');
      return { sshd, fingerprint, log, dir: workplace.dir };
    },
  },
  (given) => {
    const clock = new TestClock(0);
    const sockets: Socket[] = [];
    const dialler = ssh2Dialler({
      clock,
      openSocket: (host, port) => {
        const socket = connect({ host, port, noDelay: true });
        sockets.push(socket);
        return socket;
      },
    });
    const dial = async (more: Partial<SshTarget> = {}): Promise<SshConnection> => {
      const { port, user, userKey } = given().sshd;
      const privateKey = new Secret(readFileSync(userKey, 'utf8'));
      const target = { address: '127.0.0.1', port, user, privateKey, deadlineMs: 60_000 };
      return dialler.dial({ ...target, expected: trustFirst, ...more });
    };
    const connected = async (work: (connection: SshConnection) => Promise<void>): Promise<void> => {
      const connection = await dial();
      await work(connection);
      await connection.close();
    };

    it('accepts the key and reports the host key as OpenSSH shows it', async () => {
      const { fingerprint } = given();
      const connection = await dial({ expected: { kind: 'pinned', fingerprint } });
      expect(connection.hostKey).toBe(fingerprint);
      expect(await connection.run('id -un', probe)).toMatchObject({ stdout: `${given().sshd.user}\n` });
      await connection.close();
    });

    it('reports a key that the host refuses', async () => {
      const error = await failureOf(dial({ privateKey: new Secret(ecdsaKey()) }));
      expect(error.failure).toEqual({ kind: 'key-refused', user: given().sshd.user });
    });

    it('sends nothing to a host with another key', async () => {
      const [before, openedBefore] = [given().log().length, sockets.length];
      const fingerprint = `SHA256:${'A'.repeat(43)}` as const;
      const target = { user: 'never-named', expected: { kind: 'pinned', fingerprint } } as const;
      const error = await failureOf(dial(target));
      const seen = given().fingerprint;
      expect(error.failure).toEqual({ kind: 'host-key-changed', expected: fingerprint, seen });
      await until(() => given().log().slice(before).includes('Unable to negotiate'));
      // The host has one key. The first attempt shows it, and the second asks for a key of another type.
      expect(sockets.length - openedBefore).toBe(2);
      expect(given().log().slice(before)).not.toMatch(/never-named|Accepted/);
    });

    it('gives exit codes, signals and both outputs', async () => {
      await connected(async (connection) => {
        const script = 'echo out; echo err >&2; exit 42';
        const result = await connection.run(script, { ...probe, exitCodes: [42] });
        expect(result).toMatchObject({ exitCode: 42, stdout: 'out\n', stderr: 'err\n' });
        expect((await failureOf(connection.run(script, probe))).failure).toMatchObject({ exit: 42 });
        expect((await failureOf(connection.run('kill -KILL $$', probe))).failure).toMatchObject({
          exit: 'SIGKILL',
        });
      });
    });

    it('keeps script and stdin out of the arguments of every process', async () => {
      await connected(async (connection) => {
        const stdin = new Secret('canary-of-stdin');
        const script =
          'read -r password; printf "%s\\n" "$password"; cat /proc/[0-9]*/cmdline 2>/dev/null | tr "\\0" " "';
        const { stdout } = await connection.run(`${script} # canary-of-script`, {
          ...probe,
          stdin,
          stdoutMax: 1e7,
        });
        expect(stdout).toMatch(/^canary-of-stdin\n/);
        expect(stdout).toContain('/bin/sh -c');
        expect(stdout.slice(16)).not.toMatch(/canary-of-(stdin|script)/);
      });
    });

    it('caps a large output', async () => {
      await connected(async (connection) => {
        const script = 'printf begin; head -c 50000000 /dev/zero; printf end';
        const { stdout, droppedBytes } = await connection.run(script, { ...probe, stdoutMax: 1_000 });
        expect(droppedBytes.stdout).toBe(50_000_008 - 1_000);
        expect([stdout.slice(0, 5), stdout.slice(-3)]).toEqual(['begin', 'end']);
      });
    });

    it('uploads some megabytes, and only once', async () => {
      const [local, path] = [join(given().dir, 'payload'), join(given().dir, 'host', 'a payload')];
      mkdirSync(join(given().dir, 'host'));
      const content = randomBytes(8 * 1024 * 1024 + 1);
      writeFileSync(local, content);
      const order = { source: await fileSource(local), path, mode: '0755', deadlineMs: 600_000 };
      await connected(async (connection) => {
        expect(await connection.upload(order)).toBe('uploaded');
        expect(readFileSync(path).equals(content)).toBe(true);
        const { ino, mode } = statSync(path);
        expect(mode & 0o777).toBe(0o755);
        expect(await connection.upload(order)).toBe('unchanged');
        expect(statSync(path).ino).toBe(ino);
      });
    });

    it('leaves no file of an upload that broke off', async () => {
      const proxy = await TcpProxy.open(given().sshd.port);
      const path = join(given().dir, 'broken', 'payload');
      mkdirSync(join(given().dir, 'broken'));
      const connection = await dial({ port: proxy.port });
      const open = async function* (): AsyncGenerator<Uint8Array> {
        for (let at = 0; ; at++) {
          if (at === 40) proxy.cut();
          yield Buffer.alloc(64 * 1024);
        }
      };
      const source = { size: 1e9, sha256: '0'.repeat(64), open };
      const error = await failureOf(connection.upload({ source, path, mode: '0644', deadlineMs: 600_000 }));
      expect(error.reason).toBe('SSHConnectionLost');
      await connected(async (other) => {
        const wait = 'read -r folder; while [ -n "$(ls -A "$folder")" ]; do sleep 0.05; done';
        await other.run(wait, { ...probe, stdin: Buffer.from(`${join(given().dir, 'broken')}\n`) });
      });
      expect(existsSync(path)).toBe(false);
      await proxy.close();
    });

    it.each([
      ['passes its deadline', async () => clock.pass(5_000), 'SSHTimeout'],
      ['is canceled', async (cancel: () => void) => cancel(), 'SSHConnectionLost'],
    ])('ends the connection when a command %s', async (_, end, reason) => {
      const controller = new AbortController();
      const connection = await dial({ signal: controller.signal });
      const started = join(given().dir, `started-${reason}`);
      const script = 'read -r file; : > "$file"; cat';
      const stdin = (async function* () {
        yield Buffer.from(`${started}\n`);
        await new Promise<never>(() => undefined);
      })();
      const failed = failureOf(connection.run(script, { ...probe, stdin, deadlineMs: 5_000 }));
      await until(() => existsSync(started));
      await end(() => controller.abort());
      expect((await failed).reason).toBe(reason);
      expect((await failureOf(connection.run('true', probe))).reason).toBe(reason);
      await until(() => sockets.at(-1)?.closed === true);
    });

    it('reports a connection that is killed in the middle', async () => {
      const connection = await dial();
      // The parent is the process of sshd that holds the connection.
      const error = await failureOf(connection.run('kill -9 $PPID; cat', probe));
      expect(error.reason).toBe('SSHConnectionLost');
    });

    it('is answered by OpenSSH when it asks whether the host is alive', async () => {
      await connected(async (connection) => {
        const socket = sockets.at(-1);
        for (let beat = 0; beat < 5; beat++) {
          const bytesRead = socket?.bytesRead ?? 0;
          await clock.pass(15_000);
          await until(() => (socket?.bytesRead ?? 0) > bytesRead);
        }
        expect((await connection.run('echo alive', probe)).stdout).toBe('alive\n');
      });
    });
  },
);

await describeIntegration(
  {
    name: 'the launcher of scripts below zsh',
    by: 'zsh',
    setUp: async ({ bench }) => pathOf(bench, 'zsh'),
  },
  (zsh) => {
    it('runs a script with its stdin', () => {
      const input = Buffer.concat([
        frameScript('read -r one; echo "$one; it\'s $((1 + 1))"; cat; exit 5'),
        Buffer.from('a\nb'),
      ]);
      const { status, stdout } = spawnSync(zsh(), ['-c', launcher], { input });
      expect([status, stdout.toString()]).toEqual([5, "a; it's 2\nb"]);
    });
  },
);
