/** The launcher itself, as a user's shell runs it. */
import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { cpSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { afterEach, beforeEach, expect, it } from 'vitest';

let folder = '';
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'muster bin test-'));
});
afterEach(() => {
  rmSync(folder, { recursive: true, force: true });
});

function run(program: string, args: readonly string[], env: NodeJS.ProcessEnv = process.env) {
  const { status, stdout, stderr } = spawnSync(program, args, { encoding: 'utf8', env });
  return { status, stdout, stderr };
}

it('runs from another folder, through a symbolic link', () => {
  const link = join(folder, 'muster');
  symlinkSync(join(process.cwd(), 'bin', 'muster'), link);
  expect(run(link, ['--version'])).toEqual({ status: 0, stdout: '0.1.0\n', stderr: '' });
});

it('passes the exit status of the command line on', () => {
  expect(run('bin/muster', ['frobnicate']).status).toBe(64);
});

it('output that cannot be written is one line and a failure', () => {
  const { status, stderr } = run('sh', ['-c', 'exec bin/muster --help > /dev/full']);
  expect([status, stderr]).toEqual([
    1,
    'error: failed to write the output: ENOSPC: no space left on device, write\n',
  ]);
});

it('output that nobody reads any more is no failure that anybody has to be told of', async () => {
  const child = spawn('bin/muster', ['--help'], { stdio: ['ignore', 'pipe', 'pipe'] });
  child.stdout.destroy();
  const [reported, [status]] = await Promise.all([text(child.stderr), once(child, 'exit')]);
  expect([status, reported]).toEqual([141, '']);
});

it('before npm ci it says what to run', () => {
  cpSync('bin/muster', join(folder, 'bin', 'muster'), { recursive: true });
  expect(run(join(folder, 'bin', 'muster'), [])).toEqual({
    status: 69,
    stdout: '',
    stderr: `muster: its packages are not installed; run: npm ci --prefix '${folder}'\n`,
  });
});

it('where no Node is pinned for the platform, an old one on the PATH is refused', () => {
  cpSync('bin/muster', join(folder, 'bin', 'muster'), { recursive: true });
  mkdirSync(join(folder, 'node_modules', 'commander'), { recursive: true });
  writeFileSync(join(folder, 'node'), '#!/bin/sh\necho 20\n', { mode: 0o755 });
  const ran = run(join(folder, 'bin', 'muster'), [], { PATH: `${folder}:/usr/bin:/bin` });
  expect(ran).toMatchObject({
    status: 69,
    stderr: expect.stringContaining('needs Node 24 or newer on this platform'),
  });
});
