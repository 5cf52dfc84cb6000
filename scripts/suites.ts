/** Runs vitest and counts the results; a suite that fails to load counts as failed. */
import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { z } from 'zod';
import type { Tally } from './checks.ts';
import { readTimes, type TestTimes } from './test-times.ts';
import { timesVariable } from './times-reporter.ts';

const reportSchema = z.object({
  testResults: z.array(
    z.object({
      name: z.string(),
      status: z.string(),
      assertionResults: z.array(z.object({ status: z.string() })),
    }),
  ),
});

const listSchema = z.array(z.object({ file: z.string() }));

export interface SuitesRun {
  readonly tally: Tally;
  /** The report of vitest; undefined when vitest died before writing it. */
  readonly report: unknown;
  /** The durations of the files that ran. */
  readonly times: TestTimes;
}

const timesReporter = fileURLToPath(new URL('./times-reporter.ts', import.meta.url));

/** The paths that vitest selects for the same filters. */
export function testFilesFor(filters: readonly string[]): readonly string[] {
  // `--json` would read the next argument as a file name, so it comes last.
  const args = ['list', '--filesOnly', ...filters, '--json'];
  const { stdout } = spawnSync('vitest', args, { encoding: 'utf8' });
  return listSchema.parse(JSON.parse(stdout || '[]')).map(({ file }) => file);
}

export function runSuites(
  filters: readonly string[],
  environment: Readonly<Record<string, string>> = {},
): SuitesRun {
  const folder = mkdtempSync(join(tmpdir(), 'muster-suites-'));
  try {
    const file = join(folder, 'report.json');
    const timesFile = join(folder, 'times.json');
    const reporters = ['default', 'json', timesReporter].map((reporter) => `--reporter=${reporter}`);
    const args = ['run', ...reporters, `--outputFile.json=${file}`, ...filters];
    const env = { ...process.env, ...environment, [timesVariable]: timesFile };
    const { status } = spawnSync('vitest', args, { stdio: 'inherit', env });
    const report = readReport(file);
    return { tally: tallyOf(report, status === 0), report, times: readTimes(timesFile) };
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** `report` is undefined when vitest died before writing it. */
export function tallyOf(report: unknown, succeeded: boolean): Tally {
  const files = report === undefined ? [] : reportSchema.parse(report).testResults;
  const count = (...wanted: readonly string[]): number =>
    files.flatMap((file) => file.assertionResults).filter((result) => wanted.includes(result.status)).length;
  const unloaded = files.filter(
    (file) => file.status === 'failed' && !file.assertionResults.some((result) => result.status === 'failed'),
  );
  const failed = count('failed') + unloaded.length;
  // An error outside of tests, or a run without tests, must count as a failure.
  return {
    passed: count('passed'),
    failed: succeeded && files.length > 0 ? failed : Math.max(failed, 1),
    skipped: count('skipped', 'pending', 'todo', 'disabled'),
  };
}

function readReport(file: string): unknown {
  try {
    return JSON.parse(readFileSync(file, 'utf8'));
  } catch (error) {
    console.error(`vitest wrote no report: ${error instanceof Error ? error.message : String(error)}`);
    return undefined;
  }
}
