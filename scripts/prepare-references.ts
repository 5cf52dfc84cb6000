/** Prepares the reference programs before the suites run, and reports which are missing and why. */
import { explain, MissingReferenceError } from '../test/reference/reference-error.ts';
import { programs, type ReferenceProgram } from '../test/reference/programs.ts';
import type { Mode } from '../test/reference/mode.ts';
import { progressPrinter } from '../test/reference/progress.ts';
import { makeReady, type Found, type Workshop } from '../test/reference/ready.ts';

export interface Seats {
  readonly env: NodeJS.ProcessEnv;
  /** Default: all. */
  readonly programs?: readonly ReferenceProgram[];
  readonly print?: (text: string) => void;
}

export interface Seated {
  readonly ready: readonly Found[];
  /** A line for each missing reference program. */
  readonly absent: readonly string[];
}

export async function prepareReferences(mode: Mode, seats: Seats): Promise<Seated> {
  const wanted = seats.programs ?? programs;
  const print = seats.print ?? console.log;
  if (mode === 'off')
    return { ready: [], absent: wanted.map((evaluate) => `${evaluate.name}: MUSTER_REAL=off`) };
  const workshop: Workshop = { env: seats.env, progress: progressPrinter() };
  const all: Found[] = [];
  const absent: string[] = [];
  for (const evaluate of wanted) {
    try {
      const ready = await makeReady(evaluate, workshop);
      all.push(ready);
      print(`ok      reference ${evaluate.name} ${ready.version} (${ready.source})`);
    } catch (error) {
      if (!(error instanceof MissingReferenceError)) throw error;
      print(`MISSING reference ${evaluate.name}\n${explain(error)}`);
      absent.push(`${evaluate.name}: ${error.message}`);
    }
  }
  return { ready: all, absent };
}
