/**
 * `npm run acceptance:long`: what `npm test` and `npm run sim:acceptance` run in a small size, in full. Each part ends with its
 * own line; the exit status is 0 only if every part was good.
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
