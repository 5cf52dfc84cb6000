/**
 * The programs that `npm test` prepared, passed to the test files of that run, so that no file compares the checksums
 * of half a gigabyte of programs again. Without it each test file searches by itself.
 */
import { z } from 'zod';
import type { Environment } from './cache.ts';
import { programs } from './programs.ts';
import type { Found } from './ready.ts';

const variable = 'MUSTER_REAL_FOUND';

const foundSchema = z.array(
  z.object({
    name: z.string(),
    path: z.string(),
    source: z.enum(['KUBEBUILDER_ASSETS', 'cache', 'system']),
    version: z.string(),
    entry: z.object({ dir: z.string(), key: z.string() }).exactOptional(),
  }),
);

/** The variables to set for the processes of the run. */
export function environmentFor(found: readonly Found[]): Readonly<Record<string, string>> {
  const rows = found.map(({ program, ...rest }) => ({ name: program.name, ...rest }));
  return { [variable]: JSON.stringify(rows) };
}

/** By the name of the program; only programs that the run prepared. */
export function foundIn(env: Environment): ReadonlyMap<string, Found> {
  const text = env[variable];
  if (text === undefined) return new Map();
  const rows = foundSchema.parse(JSON.parse(text));
  return new Map(
    rows.flatMap(({ name, ...rest }) => {
      const program = programs.find((one) => one.name === name);
      return program === undefined ? [] : [[name, { program, ...rest }] as const];
    }),
  );
}
