import { expect, it } from 'vitest';
import { checks, closingLine, runCheck, sum } from '../../scripts/checks.ts';
import { tallyOf } from '../../scripts/suites.ts';

const results = (...states: readonly string[]) => states.map((status) => ({ status }));

it('counts every test of every file', () => {
  const report = {
    testResults: [
      { name: 'a', status: 'passed', assertionResults: results('passed', 'passed', 'skipped') },
      { name: 'b', status: 'failed', assertionResults: results('passed', 'failed', 'pending') },
    ],
  };
  expect(tallyOf(report, false)).toEqual({ passed: 3, failed: 1, skipped: 2 });
});

it('a file that could not be loaded counts as failed', () => {
  const report = { testResults: [{ name: 'a', status: 'failed', assertionResults: [] }] };
  expect(tallyOf(report, false)).toEqual({ passed: 0, failed: 1, skipped: 0 });
});

it('a run that failed for another reason, or left no report, counts as failed', () => {
  const report = { testResults: [{ name: 'a', status: 'passed', assertionResults: results('passed') }] };
  expect(tallyOf(report, false)).toEqual({ passed: 1, failed: 1, skipped: 0 });
  expect(tallyOf(undefined, false)).toEqual({ passed: 0, failed: 1, skipped: 0 });
});

it('a run without a single test counts as failed', () => {
  expect(tallyOf({ testResults: [] }, true)).toEqual({ passed: 0, failed: 1, skipped: 0 });
});

it('the closing line holds the three sums', () => {
  const tally = sum([
    { passed: 1, failed: 0, skipped: 2 },
    { passed: 3, failed: 4, skipped: 0 },
  ]);
  expect(closingLine(tally)).toBe('4 passed, 4 failed, 2 skipped');
});

it('a check that fails or cannot run counts as failed', () => {
  const programs = ['true', 'false', 'no-such-program'];
  const quiet = { print: () => undefined };
  const tallies = programs.map((program) =>
    runCheck({ name: program, command: [program], toFix: '' }, quiet.print),
  );
  expect(tallies.map((tally) => closingLine(tally))).toEqual([
    '1 passed, 0 failed, 0 skipped',
    '0 passed, 1 failed, 0 skipped',
    '0 passed, 1 failed, 0 skipped',
  ]);
});

it('types, lint and format are all checked', () => {
  expect(checks.map((check) => check.command.join(' '))).toEqual([
    'tsc',
    'oxlint --quiet',
    'oxfmt --check .',
  ]);
});
