/** `npm run stress` as a person types it: wrong options end in plain sentences, without a database. */
import { spawnSync } from 'node:child_process';
import { expect, it } from 'vitest';

function run(args: readonly string[]) {
  return spawnSync(process.execPath, ['test/stress/cli.ts', ...args], { encoding: 'utf8' });
}

it.for([
  [['--attempts', 'many'], 'error: --attempts is "many", but it takes a whole number from 1'],
  [['--attempts', '0'], 'error: --attempts is "0"'],
  [['--seed', '1.5'], 'error: --seed is "1.5"'],
  [['--database-url', 'mysql://x'], 'error: --database-url is npm, debian, or begins with postgres://'],
  [['--frob'], "error: Unknown option '--frob'"],
] as const)('%j is refused with 64 and the usage', ([args, message]) => {
  const { status, stderr } = run(args);
  expect(status).toBe(64);
  expect(stderr).toContain(message);
  expect(stderr).toContain('usage: npm run stress');
});

it('prints its help', () => {
  const { status, stdout } = run(['--help']);
  expect(status).toBe(0);
  expect(stdout).toContain('--database-url WHERE');
});
