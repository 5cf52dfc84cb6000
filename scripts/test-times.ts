/** How many seconds each test file took when it last ran: kept in `.muster/test-times.json`, from run to run. */
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

/** Empty when there is no such file, or when it is damaged: the next run writes a good one. */
export function readTimes(file: string): TestTimes {
  if (!existsSync(file)) return {};
  try {
    return timesSchema.safeParse(JSON.parse(readFileSync(file, 'utf8'))).data ?? {};
  } catch (error) {
    if (error instanceof SyntaxError) return {};
    throw error;
  }
}

/** A run of a few files replaces only their times. Files that are gone are dropped. */
export function keepTimes(root: string, ran: TestTimes): void {
  const file = timesFileIn(root);
  const all = Object.entries({ ...readTimes(file), ...ran });
  const present = all.filter(([path]) => existsSync(join(root, path)));
  const sorted = present.toSorted(([a], [b]) => (a < b ? -1 : 1));
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, `${JSON.stringify(Object.fromEntries(sorted), undefined, 2)}\n`);
}

/** The slowest files with their seconds, slowest first; empty when nothing ran. */
export function slowestReport(ran: TestTimes): string {
  const slowest = Object.entries(ran)
    .toSorted(([, a], [, b]) => b - a)
    .slice(0, slowestMax);
  if (slowest.length === 0) return '';
  const lines = slowest.map(([path, seconds]) => `${seconds.toFixed(1).padStart(7)} s  ${path}`);
  return ['The slowest test files:', ...lines].join('\n');
}
