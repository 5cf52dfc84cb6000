/** `npm run sim:acceptance`: runs the acceptance runs of the simulator, and stops at the first failure. */
import { spawnSync } from 'node:child_process';
import { testSizeIn } from '../lab/harness/test-size.ts';
import { gateCommands } from './gate-commands.ts';

const startedAt = Date.now();
for (const args of gateCommands(testSizeIn(process.env))) {
  console.log(`\nmuster sim ${args.join(' ')}`);
  const { status } = spawnSync('bin/muster', ['sim', ...args], { stdio: ['ignore', 'inherit', 'inherit'] });
  if (status !== 0) {
    process.exitCode = 1;
    break;
  }
}
console.log(`\n${Math.round((Date.now() - startedAt) / 1000)} s in all`);
