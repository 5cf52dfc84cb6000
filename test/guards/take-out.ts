/** Takes a guard out in a child process and looks at what the story says then. */
import { execFile } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { z } from 'zod';
import type { Guard, Place } from './guard.ts';

const root = join(import.meta.dirname, '..', '..');
const run = promisify(execFile);
const violationSchema = z.object({ id: z.string(), message: z.string() }).nullable();

export type Violation = z.infer<typeof violationSchema>;

/** What the children compile alike is kept in the folder, for the next of them. */
export async function takeOut(guard: Guard, cache: string): Promise<Violation> {
  const program = fileURLToPath(new URL('./tell-without.ts', import.meta.url));
  const env = { ...process.env, NODE_COMPILE_CACHE: cache, MUSTER_WITHOUT_GUARD: guard.id };
  const { stdout } = await run(process.execPath, [program], { cwd: root, env });
  return violationSchema.parse(JSON.parse(stdout));
}

/** What is not as the table says, or undefined. */
export function wrongWith({ noticed }: Guard, violation: Violation): string | undefined {
  if (violation === null) return 'the story ends well without it';
  const isAsSaid = violation.id === noticed.by && violation.message.includes(noticed.saying);
  return isAsSaid ? undefined : `it was noticed by ${violation.id}: ${violation.message}`;
}

export function occurrences({ file, text }: Place): number {
  return readFileSync(join(root, file), 'utf8').split(text).length - 1;
}
