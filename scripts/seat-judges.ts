/** Makes every judge ready before the suites run, and tells which ones will not sit, and why. */
import { explain, JudgeError } from '../test/real/judge-error.ts';
import { judges, type Judge } from '../test/real/judges.ts';
import type { Mode } from '../test/real/mode.ts';
import { progressPrinter } from '../test/real/progress.ts';
import { makeReady, type Found, type Workshop } from '../test/real/ready.ts';

export interface Seats {
  readonly env: NodeJS.ProcessEnv;
  /** All of them, unless a test asks for fewer. */
  readonly judges?: readonly Judge[];
  readonly print?: (text: string) => void;
}

export interface Seated {
  readonly ready: readonly Found[];
  /** A line for each judge that is absent. */
  readonly absent: readonly string[];
}

export async function seatJudges(mode: Mode, seats: Seats): Promise<Seated> {
  const wanted = seats.judges ?? judges;
  const print = seats.print ?? console.log;
  if (mode === 'off') return { ready: [], absent: wanted.map((judge) => `${judge.name}: MUSTER_REAL=off`) };
  const workshop: Workshop = { env: seats.env, progress: progressPrinter() };
  const all: Found[] = [];
  const absent: string[] = [];
  for (const judge of wanted) {
    try {
      const ready = await makeReady(judge, workshop);
      all.push(ready);
      print(`ok      judge ${judge.name} ${ready.version} (${ready.source})`);
    } catch (error) {
      if (!(error instanceof JudgeError)) throw error;
      print(`MISSING judge ${judge.name}\n${explain(error)}`);
      absent.push(`${judge.name}: ${error.message}`);
    }
  }
  return { ready: all, absent };
}
