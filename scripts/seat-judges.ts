/** Makes every judge ready before the suites run, and tells which ones will not sit, and why. */
import { explain, JudgeError } from '../test/real/judge-error.ts';
import { judges } from '../test/real/judges.ts';
import { modeIn, type Mode } from '../test/real/mode.ts';
import { progressPrinter } from '../test/real/progress.ts';
import { makeReady } from '../test/real/ready.ts';

export interface Seating {
  readonly mode: Mode;
  readonly absent: readonly string[];
}

export async function seatJudges(env: NodeJS.ProcessEnv): Promise<Seating> {
  const mode = modeIn(env);
  if (mode === 'off') return { mode, absent: judges.map((judge) => `${judge.name}: MUSTER_REAL=off`) };
  const workshop = { env, progress: progressPrinter() };
  const absent: string[] = [];
  for (const judge of judges) {
    try {
      const ready = await makeReady(judge, workshop);
      console.log(`ok      judge ${judge.name} ${ready.version} (${ready.source})`);
    } catch (error) {
      if (!(error instanceof JudgeError)) throw error;
      console.log(`MISSING judge ${judge.name}\n${explain(error)}`);
      absent.push(`${judge.name}: ${error.message}`);
    }
  }
  return { mode, absent };
}
