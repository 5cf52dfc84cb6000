/** The acceptance runs of the simulator: the arguments of `muster sim`, in order. */
import type { TestSize } from '../lab/harness/test-size.ts';

const sample = ['--scenario', 'sample'];

/** `--everything` fails when a kind of fault never happened, so the run needs enough seeds for each kind. */
export function gateCommands(size: TestSize): readonly (readonly string[])[] {
  const isFull = size === 'full';
  return [
    [...sample, '--seeds', '100', '--hours', '24', '--everything'],
    [...sample, '--mode', 'crash-points'],
    [...sample, '--mode', 'stale-view'],
    [...sample, '--mode', 'liveness', '--seeds', '20'],
    [...sample, '--seeds', '100', '--hours', '1', '--twice'],
    [...sample, '--hunt'],
    ['--scenario', 'hosts', '--seeds', isFull ? '40' : '20', '--hours', '12', '--everything'],
    ['--scenario', 'runners', '--seeds', isFull ? '16' : '8', '--hours', '12'],
  ];
}
