/** `npm test`: the checks, the judges, every suite, and one closing line that counts all of them. */
import { checks, closingLine, runCheck, sum, type Tally } from './checks.ts';
import { explain, JudgeError } from '../test/real/judge-error.ts';
import { seatJudges, type Seating } from './seat-judges.ts';
import { runSuites } from './suites.ts';

const usage = `usage: npm test [-- FILTER ...]

Runs types, lint and format, makes the judges ready, and runs every suite (or those whose path holds FILTER).
MUSTER_REAL=auto     judge with what can be found, fetched or built; say what did not sit (default)
MUSTER_REAL=require  a missing judge is a failure
MUSTER_REAL=off      no judge sits`;

async function main(args: readonly string[]): Promise<number> {
  if (args.includes('--help') || args.includes('-h')) {
    console.log(usage);
    return 0;
  }
  const checked = checks.map((check) => runCheck(check));
  const seating = await seatJudges(process.env);
  const tally = sum([...checked, judged(seating), runSuites(args)]);
  if (seating.absent.length > 0)
    console.log(`\nNOT JUDGED by:\n${seating.absent.map((line) => `  ${line}`).join('\n')}\n`);
  console.log(closingLine(tally));
  return tally.failed === 0 ? 0 : 1;
}

/** Only a run that requires its judges counts their absence against itself. */
function judged({ mode, absent }: Seating): Tally {
  return { passed: 0, failed: mode === 'require' ? absent.length : 0, skipped: 0 };
}

try {
  process.exitCode = await main(process.argv.slice(2));
} catch (error) {
  if (!(error instanceof JudgeError)) throw error;
  console.error(explain(error));
  process.exitCode = 64;
}
