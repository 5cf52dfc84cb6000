/** The checks without a suite: types, lint, format. Each counts as one test in the closing line of `npm test`. */
import { spawnSync } from 'node:child_process';

export interface Check {
  readonly name: string;
  readonly command: readonly [string, ...string[]];
  readonly toFix: string;
}

export const checks: readonly Check[] = [
  { name: 'types', command: ['tsc'], toFix: 'correct the types' },
  { name: 'lint', command: ['oxlint', '--quiet'], toFix: 'correct what the linter names' },
  { name: 'format', command: ['oxfmt', '--check', '.'], toFix: 'run: npm run format' },
];

export interface Tally {
  readonly passed: number;
  readonly failed: number;
  readonly skipped: number;
}

export function runCheck(check: Check, print: (text: string) => void = console.log): Tally {
  const { name, toFix } = check;
  const [program, ...args] = check.command;
  const { status, stdout, stderr } = spawnSync(program, args, { encoding: 'utf8' });
  if (status === 0) {
    print(`ok      ${name}`);
    return { passed: 1, failed: 0, skipped: 0 };
  }
  print(`FAILED  ${name}: ${toFix}\n${stdout ?? ''}${stderr ?? ''}`);
  return { passed: 0, failed: 1, skipped: 0 };
}

export function sum(tallies: readonly Tally[]): Tally {
  return tallies.reduce(
    (all, one) => ({
      passed: all.passed + one.passed,
      failed: all.failed + one.failed,
      skipped: all.skipped + one.skipped,
    }),
    { passed: 0, failed: 0, skipped: 0 },
  );
}

/** The closing line of every run. */
export function closingLine(tally: Tally): string {
  return `${tally.passed} passed, ${tally.failed} failed, ${tally.skipped} skipped`;
}
