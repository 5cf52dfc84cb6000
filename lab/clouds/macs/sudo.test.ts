/** sudo and visudo of a simulated Mac: spec/host.md A6.2, A12, F14, F28. */
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import type { SimulatedMac } from './simulated-mac.ts';
import { TestMacs } from './test-mac.ts';

const macs = new TestMacs();
afterEach(() => macs.close());

const rule = 'm1 ALL=(ALL) NOPASSWD: ALL';
const grantFile = '"$MUSTER_ROOT/etc/sudoers.d/m1-nopasswd"';
const grant = `sudo -S sh -c 'echo "${rule}" > ${grantFile} && chmod 440 ${grantFile}'`;
const tally = (mac: SimulatedMac): string =>
  readFileSync(join(mac.root, '.mac/sudo-failures'), 'utf8').trim();

describe('sudo on a fresh Mac', () => {
  it('asks for the password, and takes it from a line on stdin with -S', async () => {
    const mac = await macs.open({ password: "it's $HOME" });
    const outcome = await macs.run(mac, "sudo -S -p '' sh -c 'id -un; cat'", "it's $HOME\nthe rest\n");
    expect(outcome).toMatchObject({ exit: 0, stdout: 'root\nthe rest\n' });
  });

  it.each([
    ['sudo -n true', '', 'sudo: a password is required\n'],
    ['sudo true', 'right\n', 'a terminal is required'],
    ['sudo -S true', '', 'no password was provided'],
    // A line without its end counts as no input.
    ['sudo -S true', 'right', 'no password was provided'],
    ['sudo -S true', 'wrong\n', 'sudo: 1 incorrect password attempt\n'],
    ['sudo -S true', 'a\nb\nc\nright\n', 'sudo: 3 incorrect password attempts\n'],
  ])('refuses %s with stdin %j', async (command, stdin, message) => {
    const mac = await macs.open({ password: 'right' });
    const outcome = await macs.run(mac, `${command} && echo done`, stdin);
    expect(outcome).toMatchObject({ exit: 1, stdout: '' });
    expect(outcome.stderr).toContain(message);
  });

  it('passes the exit code of the command on', async () => {
    const mac = await macs.open({ password: 'right' });
    expect((await macs.run(mac, "sudo -S sh -c 'exit 42'", 'right\n')).exit).toBe(42);
    expect((await macs.run(mac, 'sudo -S no-such-command', 'right\n')).stderr).toContain('command not found');
  });

  it('takes no password from another user, and none from root', async () => {
    const mac = await macs.open({ password: 'right' });
    expect((await macs.run(mac, 'USER=nobody sudo -S true', 'right\n')).stderr).toContain(
      'not in the sudoers',
    );
    expect((await macs.run(mac, "sudo -S sh -c 'sudo -n -u m1 id -un'", 'right\n')).stdout).toBe('m1\n');
  });
});

describe('a rule in sudoers.d', () => {
  it('lets the user run everything without a password', async () => {
    const mac = await macs.open({ password: 'right' });
    expect((await macs.run(mac, grant, 'right\n')).exit).toBe(0);
    const outcome = await macs.run(mac, 'sudo -n id -un; sudo -S cat', 'not eaten\n');
    expect(outcome).toMatchObject({ exit: 0, stdout: 'root\nnot eaten\n', stderr: '' });
  });

  it.each([
    ['a bad line', 'm1 ALL=(ALL) NOPASWD: ALL', 'm1', '440'],
    ['another user', 'm2 ALL=(ALL) NOPASSWD: ALL', 'm1', '440'],
    ['a dot in the name of the file', rule, 'm1.conf', '440'],
    ['a file that everybody may write to', rule, 'm1', '666'],
  ])('grants nothing with %s', async (_what, line, name, mode) => {
    const mac = await macs.open({ password: 'right' });
    const file = `"$MUSTER_ROOT/etc/sudoers.d/${name}"`;
    await macs.run(mac, `sudo -S sh -c 'echo "${line}" > ${file}; chmod ${mode} ${file}'`, 'right\n');
    expect((await macs.run(mac, 'sudo -n true')).exit).toBe(1);
  });

  it('is gone after a reinstall, and stays over a reboot', async () => {
    const mac = await macs.open({ password: 'right' });
    await macs.run(mac, grant, 'right\n');
    await mac.reboot();
    expect((await macs.run(mac, 'sudo -n true')).exit).toBe(0);
    await mac.reinstall();
    expect((await macs.run(mac, 'sudo -n true')).exit).toBe(1);
  });
});

describe('the tally of wrong passwords', () => {
  it('locks the right password out, and each further try keeps it locked', async () => {
    const mac = await macs.open({ password: 'right', sudoFailuresMax: 3 });
    for (const stdin of ['a\n', 'b\n', 'c\n', 'right\n'])
      expect((await macs.run(mac, 'sudo -S true', stdin)).exit).toBe(1);
    expect(tally(mac)).toBe('4');
    await mac.reboot();
    expect((await macs.run(mac, 'sudo -S true', 'right\n')).exit).toBe(0);
  });

  it('starts again with the right password, and does not count sudo without one', async () => {
    const mac = await macs.open({ password: 'right' });
    await macs.run(mac, 'sudo -S true', 'wrong\n');
    await macs.run(mac, 'sudo -n true; sudo -S true');
    expect(tally(mac)).toBe('1');
    await macs.run(mac, 'sudo -S true', 'right\n');
    expect(tally(mac)).toBe('0');
  });
});

describe('the ticket of a shell', () => {
  it('makes the next sudo of that shell leave the password line to its command', async () => {
    const mac = await macs.open({ password: 'right' });
    const outcome = await macs.run(mac, 'sudo -S true; sudo -S cat; sudo -k; sudo -n true', 'right\nright\n');
    expect(outcome).toMatchObject({ exit: 1, stdout: 'right\n' });
    expect((await macs.run(mac, 'sudo -n true')).exit).toBe(1);
  });
});

/** Both a pipe and a here-document redirect stdin: only zsh reads one after the other. */
describe('the script of the older tool', () => {
  const script = `printf '%s\\n' 'right' | sudo -S tee ${grantFile} > /dev/null << END\n${rule}\nEND`;

  it.each([
    ['/usr/bin/zsh', true],
    ['/usr/bin/bash', false],
    ['/bin/sh', false],
  ])('in %s works: %s', async (shell, works) => {
    const mac = await macs.open({ password: 'right', shell });
    await macs.run(mac, script);
    expect((await macs.run(mac, 'sudo -n true')).exit === 0).toBe(works);
  });
});

describe('visudo', () => {
  const check = 'cat > "$TMPDIR/rules"; visudo -cf "$TMPDIR/rules"';

  it.each([
    rule,
    '# a comment\n\nroot ALL=(ALL) ALL',
    '%admin ALL=(ALL:ALL) NOPASSWD: /usr/sbin/pfctl, /bin/launchctl print system',
    'Defaults:m1 !requiretty',
    'm1,m2 ALL = (root) NOPASSWD: SETENV: ALL',
    '@includedir /private/etc/sudoers.d',
    'User_Alias OPS = m1, m2\nOPS ALL=(ALL) \\\n  ALL',
  ])('accepts %j', async (rules) => {
    const mac = await macs.open();
    expect(await macs.run(mac, check, `${rules}\n`)).toMatchObject({ exit: 0, stderr: '' });
  });

  it.each([
    'm1 ALL=(ALL) NOPASWD: ALL',
    'm1 ALL(ALL) ALL',
    'm1',
    'm1 ALL=(ALL NOPASSWD: ALL',
    'm1 ALL=(ALL) NOPASSWD ALL',
    'm1 ALL=',
    `${rule}\nright`,
    'm1 ALL=(ALL) ALL \\',
  ])('refuses %j', async (rules) => {
    const mac = await macs.open();
    const outcome = await macs.run(mac, check, `${rules}\n`);
    expect(outcome).toMatchObject({ exit: 1, stdout: '' });
    expect(outcome.stderr).toContain('syntax error');
  });

  it('refuses a file that is not there', async () => {
    const mac = await macs.open();
    expect((await macs.run(mac, 'visudo -cf "$MUSTER_ROOT/none"')).exit).toBe(1);
    expect(existsSync(join(mac.root, 'none'))).toBe(false);
  });
});
