/** The duration of each test file in its last run, stored in `.muster/test-times.json`. */
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { z } from 'zod';

/** Path of a test file from the root of the project -> seconds. */
export type TestTimes = Readonly<Record<string, number>>;

const timesSchema = z.record(z.string(), z.number());
const slowestMax = 15;

export function timesFileIn(root: string): string {
  return join(root, '.muster', 'test-times.json');
}

/** Empty when the file is missing or damaged: the next run replaces it. */
export function readTimes(file: string): TestTimes {
  if (!existsSync(file)) return {};
  try {
    return timesSchema.safeParse(JSON.parse(readFileSync(file, 'utf8'))).data ?? {};
  } catch (error) {
    if (error instanceof SyntaxError) return {};
    throw error;
  }
}

/** A partial run replaces only the times of its files. Deleted files are removed. */
export function keepTimes(root: string, ran: TestTimes): void {
  const file = timesFileIn(root);
  const all = Object.entries({ ...readTimes(file), ...ran });
  const present = all.filter(([path]) => existsSync(join(root, path)));
  const sorted = present.toSorted(([a], [b]) => (a < b ? -1 : 1));
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, `${JSON.stringify(Object.fromEntries(sorted), undefined, 2)}\n`);
}

/** The slowest files with their durations, slowest first; empty without a run. */
export function slowestReport(ran: TestTimes): string {
  const slowest = Object.entries(ran)
    .toSorted(([, a], [, b]) => b - a)
    .slice(0, slowestMax);
  if (slowest.length === 0) return '';
  const lines = slowest.map(([path, seconds]) => `${seconds.toFixed(1).padStart(7)} s  ${path}`);
  return ['The slowest test files:', ...lines].join('\n');
}
