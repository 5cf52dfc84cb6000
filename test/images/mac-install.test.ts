/** Runs the script that makes a macOS runner image, with stand-ins for the commands of macOS, in a folder instead of on a Mac. */
import { execFileSync } from 'node:child_process';
import { chmodSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, expect, it } from 'vitest';

const script = join(import.meta.dirname, '../../images/macos/install.sh');
const standIns = [
  'sysadminctl',
  'createhomedir',
  'pmset',
  'sudo',
  'curl',
  'shasum',
  'install',
  'launchctl',
  'dscl',
  'chmod',
];
const folders: string[] = [];

afterEach(() => {
  for (const folder of folders.splice(0)) rmSync(folder, { recursive: true, force: true });
});

/** The commands that the script ran, with their arguments, one a line. */
function install(): readonly string[] {
  const root = mkdtempSync(join(tmpdir(), 'muster-mac-image-'));
  folders.push(root);
  const bin = join(root, 'bin');
  const log = join(root, 'log');
  for (const folder of ['bin', 'etc/sudoers.d', 'tmp/tuist', 'Users/runner', 'var/db'])
    mkdirSync(join(root, folder), { recursive: true });
  for (const name of standIns) {
    writeFileSync(join(bin, name), `#!/bin/sh\necho "${name} $*" >>'${log}'\n`);
    chmodSync(join(bin, name), 0o755);
  }
  writeFileSync(join(root, 'tmp/actions-runner.tar.gz'), '');
  execFileSync('sh', [script], {
    env: {
      PATH: `${bin}:${process.env['PATH']}`,
      MUSTER_ROOT: root,
      RUNNER_VERSION: '2.336.0',
      RUNNER_SHA256: '0'.repeat(64),
      BUILD_USER: 'admin',
    },
  });
  return readFileSync(log, 'utf8').trim().split('\n');
}

it('SSH and screen sharing are off from the next start on', () => {
  expect(install()).toEqual(
    expect.arrayContaining([
      'launchctl disable system/com.openssh.sshd',
      'launchctl disable system/com.apple.screensharing',
    ]),
  );
});

it('the user of the build and the user of the jobs get random passwords', () => {
  const passwordOf = (commands: readonly string[], pattern: RegExp): string =>
    commands.map((line) => pattern.exec(line)?.[1]).find((found) => found !== undefined) ?? '';
  const [first, second] = [install(), install()];
  const passwords = [first, second].flatMap((commands) => [
    passwordOf(commands, /^dscl \. -passwd \/Users\/admin (\S+)$/),
    passwordOf(commands, /^sysadminctl -addUser runner .*-password (\S+)/),
  ]);
  expect(passwords.filter((password) => /^[0-9a-f]{48}$/.test(password))).toHaveLength(4);
  expect(new Set(passwords).size).toBe(4);
  const added = passwordOf(first, /^sysadminctl -addUser runner .*-password (\S+)/);
  expect(first).toContain(`sysadminctl -autologin set -userName runner -password ${added}`);
});
