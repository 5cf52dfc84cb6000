/** `npm run gates`: what the simulator must show before anything is let through; one line for each, and the first that fails ends it. */
import { spawnSync } from 'node:child_process';

const sample = ['--scenario', 'sample'];
const gates: readonly (readonly string[])[] = [
  [...sample, '--seeds', '100', '--hours', '24', '--everything'],
  [...sample, '--mode', 'crash-points'],
  [...sample, '--mode', 'stale-view'],
  [...sample, '--mode', 'liveness', '--seeds', '20'],
  [...sample, '--seeds', '100', '--hours', '1', '--twice'],
  [...sample, '--hunt'],
  ['--scenario', 'returns', '--seeds', '20', '--everything'],
  ['--scenario', 'machines', '--seeds', '10', '--everything'],
  ['--scenario', 'hosts', '--seeds', '40', '--hours', '12', '--everything'],
  ['--scenario', 'runners', '--seeds', '16', '--hours', '12'],
];

for (const args of gates) {
  console.log(`\nmuster sim ${args.join(' ')}`);
  const { status } = spawnSync('bin/muster', ['sim', ...args], { stdio: ['ignore', 'inherit', 'inherit'] });
  if (status !== 0) {
    process.exitCode = 1;
    break;
  }
}
