/** What runs in a small size in `npm test` runs in full in `npm run acceptance:long`: nothing is lost between the two. */
import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { gateCommands } from '../../scripts/gate-commands.ts';
import { longTests } from '../../scripts/long-tests.ts';
import { filesUnder } from '../architecture/tree.ts';

it('the long tests are the test files that have two sizes', () => {
  const withSizes = ['src', 'test', 'scripts'].flatMap((folder) =>
    filesUnder('.', folder).filter(
      (path) => path.endsWith('.test.ts') && /\bbySize\(\{/.test(readFileSync(path, 'utf8')),
    ),
  );
  expect(withSizes.toSorted()).toEqual([...longTests].toSorted());
});

it('the gates of both sizes are the same, except for the number of seeds', () => {
  const withoutSeeds = (args: readonly string[]): readonly string[] =>
    args.filter((_, index) => args[index - 1] !== '--seeds');
  const seeds = (args: readonly string[]): number => Number(args[args.indexOf('--seeds') + 1]);
  const [small, full] = [gateCommands('small'), gateCommands('full')];
  expect(small.map(withoutSeeds)).toEqual(full.map(withoutSeeds));
  const fewer = small.filter((args, index) => seeds(args) < seeds(full[index] ?? []));
  expect(fewer.map((args) => args[1])).toEqual(['hosts', 'runners']);
});
