/**
 * `npm run acceptance:long`: the full size of `npm test` and `npm run sim:acceptance`. Each part prints its own closing
 * line; the exit status is 0 only if every part passed.
 */
import { spawnSync } from 'node:child_process';
import { testSizeVariable } from '../lab/harness/test-size.ts';
import { longTests } from './long-tests.ts';

const parts: readonly (readonly string[])[] = [
  ['scripts/test.ts', ...longTests],
  ['scripts/sim-acceptance.ts'],
];

const env = { ...process.env, [testSizeVariable]: 'full' };
const failed = parts.filter(
  (args) => spawnSync(process.execPath, [...args], { stdio: 'inherit', env }).status !== 0,
);
console.log(`${parts.length - failed.length} parts passed, ${failed.length} failed`);
process.exitCode = failed.length === 0 ? 0 : 1;
