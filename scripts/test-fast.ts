/** `npm run test:fast`: the unit tests nearest to the changes of the branch, in less than a minute. */
import { availableParallelism } from 'node:os';
import { readTree } from '../test/architecture/tree.ts';
import { changedFiles, gitIn } from './changed-files.ts';
import { chooseTests, relatedTests } from './related-tests.ts';
import { runSuites } from './suites.ts';
import { keepTimes, readTimes, slowestReport, timesFileIn } from './test-times.ts';

const usage = `usage: npm run test:fast

Runs the unit tests that were changed since the merge base with main or are not committed, and those that import what
was changed, nearest first, as many as fit into a minute by the times of earlier runs. No checks, no reference programs;
npm test runs all.`;

/** The rest of the minute is for the start of vitest. */
const secondsPerCore = 40;

function run(): number {
  const root = process.cwd();
  const changed = changedFiles(gitIn(root));
  const seconds = secondsPerCore * availableParallelism();
  const tests = relatedTests(readTree(root), changed);
  const { chosen, leftOut } = chooseTests(tests, { times: readTimes(timesFileIn(root)), seconds });
  console.log(
    `${changed.length} files changed, ${tests.length} test files import them, ${chosen.length} run`,
  );
  const failed = chosen.length === 0 ? 0 : runChosen(root, chosen);
  if (leftOut.length > 0)
    console.log(`\nskipped for their duration: ${leftOut.length} test files; npm test runs them`);
  return failed === 0 ? 0 : 1;
}

/** The number of failed tests. */
function runChosen(root: string, chosen: readonly string[]): number {
  const { tally, times } = runSuites(['--project=unit', ...chosen]);
  keepTimes(root, times);
  console.log(`\n${slowestReport(times)}`);
  return tally.failed;
}

const args = process.argv.slice(2);
if (args.length > 0) console.log(usage);
process.exitCode = args.length === 0 ? run() : Number(!['--help', '-h'].includes(args[0] ?? '')) * 64;
