/**
 * Suites that need reference programs. Without a group the suite is skipped, or fails under `MUSTER_REAL=require`. This
 * file builds nothing: `npm test` and `npm run references` do that, and this file finds the results.
 */
import { afterAll, afterEach, beforeAll, describe } from 'vitest';
import { groupsNeeded, type Bench } from './bring-up.ts';
import { foundIn } from './found-programs.ts';
import { groupNames, programsOf, type GroupName } from './programs.ts';
import { modeIn } from './mode.ts';
import { isFound, look, type Found } from './ready.ts';
import { Workplace } from './launch/workplace.ts';

export interface Harness {
  readonly bench: Bench;
  readonly workplace: Workplace;
}

/** `setUp` runs before the cases and returns what they need; `cases` reads the result through its argument. */
export async function describeIntegration<T>(
  suite: {
    readonly name: string;
    readonly by: GroupName | readonly GroupName[];
    readonly setUp: (harness: Harness) => Promise<T>;
  },
  cases: (given: () => T) => void,
): Promise<void> {
  const mode = modeIn(process.env);
  const { bench, missing } =
    mode === 'off' ? { bench: new Map(), missing: ['MUSTER_REAL=off'] } : await benchFor([suite.by].flat());
  const absent = missing.length > 0;
  describe.skipIf(absent && mode !== 'require')(suite.name, () => {
    let failed = false;
    let workplace: Workplace | undefined;
    let given: { readonly value: T } | undefined;
    beforeAll(async () => {
      if (absent) throw new Error(`missing reference programs: ${missing.join('; ')}`);
      workplace = await Workplace.open('integration');
      given = { value: await suite.setUp({ bench, workplace }) };
    });
    // The logs explain a failure, so they stay when a case or the setup failed.
    afterEach(({ task }) => {
      failed ||= task.result?.state === 'fail';
      workplace?.died.throwIfAborted();
    });
    afterAll(async () => {
      const keep = failed || given === undefined;
      await workplace?.close(keep ? 'keep-logs' : 'remove');
      if (keep && workplace !== undefined) console.error(`logs of the reference programs: ${workplace.dir}`);
    });
    cases(() => {
      if (given === undefined) throw new Error('a case used its reference programs before they were up');
      return given.value;
    });
  });
}

async function benchFor(groups: readonly GroupName[]): Promise<{ bench: Bench; missing: readonly string[] }> {
  const needed = groupNames
    .filter((name) => groups.some((group) => groupsNeeded[group].includes(name)))
    .flatMap((name) => programsOf(name));
  const found = foundIn(process.env);
  const looked = await Promise.all(
    needed.map(
      async (program) =>
        found.get(program.name) ?? (await look(program, { env: process.env, progress: () => undefined })),
    ),
  );
  const missing = looked.flatMap((one) =>
    isFound(one) ? [] : [`${one.program.name} (${one.why}; ${one.next})`],
  );
  return { bench: new Map(looked.filter(isFound).map((one: Found) => [one.program.name, one])), missing };
}
