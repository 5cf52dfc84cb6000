/** Runs a mutant in a child process and compares the violation with the one that its table names. */
import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { z } from 'zod';
import type { Mutant } from './mutant.ts';

const root = join(import.meta.dirname, '..', '..');
const run = promisify(execFile);
const violationSchema = z.object({ id: z.string(), message: z.string() }).nullable();

export type Violation = z.infer<typeof violationSchema>;

/** `cache` is a folder for compiled modules that the runs share. */
export async function runMutant(mutant: Mutant, cache: string): Promise<Violation> {
  const program = fileURLToPath(new URL('./run-story.ts', import.meta.url));
  const env = { ...process.env, NODE_COMPILE_CACHE: cache, MUSTER_MUTANT: mutant.id };
  const { stdout } = await run(process.execPath, [program], { cwd: root, env });
  return violationSchema.parse(JSON.parse(stdout));
}

/** How the violation differs from the table; undefined when it is the same. */
export function mismatch({ noticed }: Mutant, violation: Violation): string | undefined {
  if (violation === null) return 'the story passes on the mutant';
  const isAsExpected = violation.id === noticed.by && violation.message.includes(noticed.message);
  return isAsExpected ? undefined : `noticed by ${violation.id}: ${violation.message}`;
}
