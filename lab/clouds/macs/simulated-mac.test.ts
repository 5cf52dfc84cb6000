/** A Mac over SSH: who is let in, how commands run, and what the bad days of a machine do to them. */
import { execFileSync, spawn, spawnSync } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { once } from 'node:events';
import { connect } from 'node:net';
import { join } from 'node:path';
import ssh2 from 'ssh2';
import { afterEach, describe, expect, it } from 'vitest';
import { makeHostKey } from './host-key.ts';
import { processesOf } from './processes.ts';
import { TestClient, TestMacs } from './test-mac.ts';

const macs = new TestMacs();
afterEach(() => macs.close());

describe('the way in', () => {
  it('is open to an authorized key of the right user', async () => {
    const mac = await macs.open();
    const { stdout } = await macs.run(mac, 'echo "$USER"; id -un; id -u; pwd');
    expect(stdout).toBe(`m1\nm1\n501\n${mac.root}/Users/m1\n`);
  });

  it('is closed to another key, another user and every password', async () => {
    const mac = await macs.open({ password: 'right' });
    const [privateKey, own] = [makeHostKey().privateKey, { privateKey: undefined, username: 'm1' }];
    for (const config of [{ privateKey }, { username: 'root' }, { ...own, password: 'right' }, { ...own }])
      await expect(macs.connect(mac, config as object)).rejects.toThrow('authentication methods failed');
  });

  it('refuses terminals, shells, subsystems and forwarding', async () => {
    const mac = await macs.open();
    const { client } = await macs.connect(mac);
    const refusal = (start: (done: (error: Error | undefined) => void) => void) =>
      new Promise((resolve) => start((error) => resolve(error instanceof Error)));
    expect(await refusal((done) => client.shell((error) => done(error)))).toBe(true);
    expect(await refusal((done) => client.sftp((error) => done(error)))).toBe(true);
    expect(await refusal((done) => client.exec('true', { pty: true }, (error) => done(error)))).toBe(true);
    expect(await refusal((done) => client.forwardOut('127.0.0.1', 1, '127.0.0.1', 2, (e) => done(e)))).toBe(
      true,
    );
  });

  it('shows the host key that OpenSSH calls the same', async () => {
    const mac = await macs.open();
    const client = await macs.connect(mac);
    const shown = Buffer.from(client.hostKey, 'hex').toString('base64').replace(/=+$/, '');
    expect(mac.hostKey).toBe(`SHA256:${shown}`);
    const printed = execFileSync('ssh-keygen', ['-lf', '-'], { input: mac.publicHostKey, encoding: 'utf8' });
    expect(printed).toContain(` ${mac.hostKey} `);
  });

  it('lets OpenSSH in as well, and gives it the exit code', async () => {
    const key = makeHostKey();
    const mac = await macs.open({ authorizedKeys: [key.publicKey] });
    const file = join(mac.root, 'tmp/key');
    writeFileSync(file, key.privateKey, { mode: 0o600 });
    const options = [
      '-F',
      'none',
      '-o',
      'StrictHostKeyChecking=no',
      '-o',
      'UserKnownHostsFile=/dev/null',
      '-o',
      'BatchMode=yes',
    ];
    const args = [...options, '-i', file, '-p', `${mac.port}`, 'm1@127.0.0.1', 'cat; exit 7'];
    const child = spawn('ssh', args, { stdio: ['pipe', 'pipe', 'ignore'] });
    child.stdin.end('through OpenSSH');
    const [exit, said] = await Promise.all([once(child, 'close'), child.stdout.toArray()]);
    expect([exit[0], Buffer.concat(said).toString()]).toEqual([7, 'through OpenSSH']);
  });
});

describe('a host key', () => {
  it('is readable for every draw, leading zeros included', () => {
    const folder = mkdtempSync(join(tmpdir(), 'keys-'));
    const keys = Array.from({ length: 300 }, () => makeHostKey());
    const read = keys.map(({ privateKey }) => ssh2.utils.parseKey(privateKey));
    const shown = read.map((key) =>
      key instanceof Error ? key.message : key.getPublicSSH().toString('base64'),
    );
    expect(shown.map((text) => `ssh-ed25519 ${text}`)).toEqual(keys.map(({ publicKey }) => publicKey));
    for (const { privateKey, publicKey } of keys.slice(0, 10)) {
      const file = join(folder, 'key');
      writeFileSync(file, privateKey, { mode: 0o600 });
      expect(execFileSync('ssh-keygen', ['-yf', file], { encoding: 'utf8' }).trim()).toBe(publicKey);
    }
    rmSync(folder, { recursive: true });
  });
});

describe.each(['/bin/sh', '/usr/bin/bash', '/usr/bin/zsh'])('a command in %s', (shell) => {
  it('is present on this machine', () => {
    expect(existsSync(shell), `${shell} is missing: install it to run these tests`).toBe(true);
  });

  it.each([
    ['exit 0', 0],
    ['exit 97', 97],
    ['true | false', 1],
    ['no-such-command', 127],
    ['/etc/passwd', 126],
    ['kill -TERM $$', 'SIGTERM'],
    ['kill -KILL $$', 'SIGKILL'],
  ])('ends as it does without SSH: %s', async (command, exit) => {
    const mac = await macs.open({ shell });
    const { status, signal } = spawnSync(shell, ['-c', command]);
    expect([(await macs.run(mac, command)).exit, status ?? signal]).toEqual([exit, exit]);
  });

  it('gets stdin and keeps stdout and stderr apart', async () => {
    const mac = await macs.open({ shell });
    const outcome = await macs.run(mac, 'read -r first; echo "out $first"; cat >&2', 'one\ntwo\n');
    expect(outcome).toEqual({ exit: 0, stdout: 'out one\n', stderr: 'two\n' });
  });

  it('runs a script from stdin, and leaves the rest of stdin to the script', async () => {
    const mac = await macs.open({ shell });
    const script = '# muster: note reads\nIFS= read -r line\necho "got $line"\nthe line\n';
    const launcher =
      'exec /bin/sh -c \'eval "$(IFS= read -r a; IFS= read -r b; IFS= read -r c; echo "$b"; echo "$c")"\'';
    expect(await macs.run(mac, launcher, script)).toMatchObject({ exit: 0, stdout: 'got the line\n' });
    expect(mac.journal.lines()).toEqual(['reads note']);
  });
});

describe('the streams of a command', () => {
  const size = 20 * 1024 * 1024;

  it('carry more than any buffer holds, unchanged', async () => {
    const mac = await macs.open();
    const content = Buffer.alloc(size, 'all work and no play\n');
    const outcome = await macs.run(mac, 'tee copy | wc -c; cat copy >&2', content);
    expect(outcome.stdout.trim()).toBe(String(size));
    expect(Buffer.from(outcome.stderr).equals(content)).toBe(true);
  });

  it('hold back a command whose output nobody reads', async () => {
    const mac = await macs.open();
    const { client } = await macs.connect(mac);
    const written = join(mac.root, 'tmp/written');
    client.exec(`yes | head -c ${size} | tee ${written} `, (_error, channel) => channel.pause());
    let before = -1;
    await expect
      .poll(
        () => {
          const now = existsSync(written) ? readFileSync(written).length : 0;
          const isHeldBack = now > 0 && now === before;
          before = now;
          return isHeldBack;
        },
        { interval: 200 },
      )
      .toBe(true);
    expect(before).toBeLessThan(size);
  });

  it('may be left unread by the command, and are taken from the client all the same', async () => {
    const mac = await macs.open();
    const { client } = await macs.connect(mac);
    const go = join(mac.root, 'tmp/go');
    const said: Buffer[] = [];
    const exit = new Promise((resolve, reject) =>
      client.exec(`exec <&-; until [ -e ${go} ]; do sleep 0.05; done; echo done`, (error, channel) => {
        if (error !== undefined) return reject(error);
        channel.on('data', (piece: Buffer) => said.push(piece));
        channel.on('close', resolve);
        channel.end(Buffer.alloc(size), () => writeFileSync(go, ''));
      }),
    );
    expect([await exit, Buffer.concat(said).toString()]).toEqual([0, 'done\n']);
  });
});

describe('the environment of a command', () => {
  it('names the root, has the commands of macOS first, and lacks /usr/local/bin', async () => {
    const mac = await macs.open();
    const { stdout } = await macs.run(
      mac,
      'echo "$MUSTER_ROOT"; command -v sudo; echo "$PATH"; echo "$SSH_CONNECTION"',
    );
    const [root, sudo = '', path = '', connection] = stdout.split('\n');
    expect(root).toBe(mac.root);
    expect(path.split(':')).toEqual([sudo.replace(/\/sudo$/, ''), '/usr/bin', '/bin', '/usr/sbin', '/sbin']);
    expect(connection).toBe('198.51.100.7 50000 198.18.0.1 22');
  });

  it('tells which machine and which boot this is', async () => {
    const mac = await macs.open({ serial: 'C07XYZ', osVersion: '26.1', osBuild: '25B78' });
    const script = [
      "ioreg -rd1 -c IOPlatformExpertDevice | awk -F'\"' '/IOPlatformSerialNumber/ { print $4 }'",
      'sysctl -n kern.bootsessionuuid',
      'sw_vers -productVersion; sw_vers -buildVersion',
      'sysctl -n no.such; sysctl kern.osversion',
    ].join('\n');
    const { stdout, stderr } = await macs.run(mac, script);
    expect(stdout).toBe(`C07XYZ\n${mac.bootId}\n26.1\n25B78\nkern.osversion: 25B78\n`);
    expect(stderr).toBe("sysctl: unknown oid 'no.such'\n");
  });
});

describe('the end of a connection', () => {
  it('ends the process group of its command', async () => {
    const mac = await macs.open();
    const client = await macs.connect(mac);
    const cut = client.run("sleep 1000 & trap 'rm -f tidy' EXIT; trap 'exit 1' HUP; touch tidy; sleep 1001");
    const tidy = join(mac.root, 'Users/m1/tidy');
    await expect.poll(() => existsSync(tidy)).toBe(true);
    client.client.destroy();
    await expect.poll(() => processesOf(mac.root)).toEqual([]);
    expect(existsSync(tidy)).toBe(false);
    expect((await cut).exit).toBeUndefined();
  });

  it('ends a command that ignores it', async () => {
    const mac = await macs.open();
    const client = await macs.connect(mac);
    const cut = client.run("trap '' HUP; touch begun; sleep 1000; sleep 1000");
    await expect.poll(() => existsSync(join(mac.root, 'Users/m1/begun'))).toBe(true);
    mac.cut();
    await expect.poll(() => processesOf(mac.root), { timeout: 60_000 }).toEqual([]);
    await cut;
  });

  it('comes after the n-th change, before anybody hears of it', async () => {
    const mac = await macs.open();
    const client = await macs.connect(mac);
    mac.cutAfter(2);
    const script = (name: string) => `# muster: ${name} changes\ntouch ${name}`;
    expect((await client.run(script('one'))).exit).toBe(0);
    expect((await client.run('# muster: look reads\nls')).stdout).toBe('one\n');
    expect((await client.run(script('two'))).exit).toBeUndefined();
    expect((await macs.run(mac, 'ls')).stdout).toBe('one\ntwo\n');
  });

  it('never comes to a client of a silent Mac, until it reboots', async () => {
    const mac = await macs.open();
    const before = await macs.connect(mac);
    mac.silence();
    const socket = connect({ host: '127.0.0.1', port: mac.port });
    await once(socket, 'connect');
    socket.write('SSH-2.0-probe\r\n');
    // What was connected before still works, and proves that the Mac had time to answer.
    expect((await before.run('echo here')).stdout).toBe('here\n');
    expect(socket.bytesRead).toBe(0);
    socket.destroy();
    await mac.reboot();
    expect((await macs.run(mac, 'echo here')).stdout).toBe('here\n');
  });
});

describe('a reinstall', () => {
  it('leaves nothing but the serial number and the port', async () => {
    const mac = await macs.open();
    const { hostKey, password, bootId, serial, port } = mac;
    const files = mac.files();
    await macs.run(mac, 'touch "$MUSTER_ROOT/etc/residue"; setsid sleep 1000 > /dev/null 2>&1 < /dev/null &');
    expect(await processesOf(mac.root)).toHaveLength(1);
    await mac.reinstall();
    expect(await processesOf(mac.root)).toEqual([]);
    expect(mac.files()).toEqual(files);
    expect([mac.serial, mac.port]).toEqual([serial, port]);
    for (const [now, before] of [
      [mac.hostKey, hostKey],
      [mac.password, password],
      [mac.bootId, bootId],
    ])
      expect(now).not.toBe(before);
    const client = await macs.connect(mac);
    expect(mac.hostKey).toContain(Buffer.from(client.hostKey, 'hex').toString('base64').slice(0, 40));
  });

  it('may bring another macOS and other keys', async () => {
    const mac = await macs.open();
    await mac.reinstall({ osVersion: '27.0', osBuild: '26A1', authorizedKeys: [] });
    expect(mac.osBuild).toBe('26A1');
    await expect(TestClient.connect(mac.port)).rejects.toThrow('authentication');
  });
});

describe('a reboot', () => {
  it('keeps the disk and the host key, and ends what ran', async () => {
    const mac = await macs.open();
    const { hostKey, bootId, password } = mac;
    await macs.run(mac, 'touch kept; setsid sleep 1000 > /dev/null 2>&1 < /dev/null &');
    await mac.reboot();
    expect(await processesOf(mac.root)).toEqual([]);
    expect([mac.hostKey, mac.password]).toEqual([hostKey, password]);
    expect(mac.bootId).not.toBe(bootId);
    expect((await macs.run(mac, 'ls; sysctl -n kern.bootsessionuuid')).stdout).toBe(`kept\n${mac.bootId}\n`);
  });
});

it('leaves nothing behind when it is closed', async () => {
  const mac = await macs.open();
  const client = await macs.connect(mac);
  const running = client.run('touch begun; sleep 1000');
  await expect.poll(() => existsSync(join(mac.root, 'Users/m1/begun'))).toBe(true);
  await macs.run(mac, '(setsid sleep 1001 > /dev/null 2>&1 < /dev/null &)');
  const pids = await processesOf(mac.root);
  await macs.close();
  await running;
  expect(pids.length).toBeGreaterThan(1);
  expect(await processesOf(mac.root)).toEqual([]);
  expect(existsSync(mac.root)).toBe(false);
  const refused = connect({ host: '127.0.0.1', port: mac.port });
  await expect(once(refused, 'connect')).rejects.toThrow('ECONNREFUSED');
});
