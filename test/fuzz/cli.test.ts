/** `npm run fuzz:api` as a person types it: wrong options and a missing reference program end in plain sentences. */
import { spawnSync } from 'node:child_process';
import { expect, it } from 'vitest';

function fuzz(args: readonly string[], env: NodeJS.ProcessEnv = {}) {
  const options = { encoding: 'utf8', env: { ...process.env, ...env } } as const;
  const { status, stdout, stderr } = spawnSync(process.execPath, ['test/fuzz/cli.ts', ...args], options);
  return { status, stdout, stderr };
}

it.for([
  [['--runs', 'many'], 'error: --runs is "many", but it takes a whole number from 1'],
  [['--runs', '0'], 'error: --runs is "0"'],
  [['--seed', '1.5'], 'error: --seed is "1.5"'],
  [['--seed', '1', '--path', 'x'], 'error: --path is "x", but a path is numbers with colons between them'],
  [['--path', '1:2'], 'error: --path needs the --seed it belongs to'],
  [['--frob'], "error: Unknown option '--frob'"],
] as const)('%j is refused with 64 and the usage', ([args, message]) => {
  const { status, stderr } = fuzz(args);
  expect(status).toBe(64);
  expect(stderr).toContain(message);
  expect(stderr).toContain('usage: npm run fuzz:api');
  expect(stderr).not.toMatch(/^\s+at /m);
});

it('without the reference programs it fails with a status of its own', () => {
  const { status, stderr } = fuzz(['--runs', '1'], { MUSTER_REAL: 'off' });
  expect(status).toBe(2);
  expect(stderr).toContain('error: MUSTER_REAL=off');
});

it('prints its help', () => {
  const { status, stdout } = fuzz(['--help']);
  expect(status).toBe(0);
  expect(stdout).toContain('--at-once N');
});
