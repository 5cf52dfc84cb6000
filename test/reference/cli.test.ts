/**
 * `npm run references` as a person types it: wrong options and obstacles end in plain sentences, never in a stack
 * trace.
 */
import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { programs } from './programs.ts';

let folder = '';
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'muster-cli-test-'));
});
afterEach(() => {
  rmSync(folder, { recursive: true, force: true });
});

function real(args: readonly string[], env: NodeJS.ProcessEnv = {}) {
  const options = { encoding: 'utf8', env: { ...process.env, MUSTER_CACHE: folder, ...env } } as const;
  const { status, stdout, stderr } = spawnSync(process.execPath, ['test/reference/cli.ts', ...args], options);
  return { status, stdout, stderr };
}

it.for([
  [['kubernetes'], 'error: no group of reference programs is called kubernetes'],
  [['--frob'], "error: Unknown option '--frob'"],
  [['--export', 'somewhere'], 'error: --export needs at least one group, or all'],
] as const)('%j is refused with 64 and the usage', ([args, message]) => {
  const { status, stderr } = real(args);
  expect(status).toBe(64);
  expect(stderr).toContain(message);
  expect(stderr).toContain('usage: npm run references');
  expect(stderr).not.toMatch(/^\s+at /m);
});

it('without Go and without a cache it says what to do', () => {
  const { status, stderr } = real(['kube'], { PATH: '/nowhere' });
  expect(status).toBe(1);
  expect(stderr).toBe(
    'error: etcd is not in the cache, and Go is not installed to build it\n' +
      '  next: install Go 1.26 or newer, or set KUBEBUILDER_ASSETS or MUSTER_REAL_MIRROR (see test/reference/README.md), or MUSTER_REAL=off\n',
  );
});

it('the list names every reference program, even on a machine without any', () => {
  const { status, stdout } = real(['--json'], { PATH: '/nowhere' });
  expect(status).toBe(0);
  const rows: { name: string }[] = JSON.parse(stdout);
  expect(rows.map((row) => row.name)).toEqual(programs.map((program) => program.name));
});
