/** `npm test`: the checks, the judges, every suite, and one closing line that counts all of them. */
import { environmentFor } from '../test/reference/found-programs.ts';
import { explain, MissingReferenceError } from '../test/reference/reference-error.ts';
import { modeIn } from '../test/reference/mode.ts';
import { checks, runCheck } from './checks.ts';
import { programsFor } from './references-for.ts';
import { runAll } from './run-all.ts';
import { prepareReferences } from './prepare-references.ts';
import { runSuites, testFilesFor } from './suites.ts';
import { keepTimes } from './test-times.ts';

const usage = `usage: npm test [-- FILTER ...]

Runs types, lint and format, makes the judges ready, and runs every suite. With FILTER: the suites whose path holds it,
and only the judges that these need. The slowest files are printed; the times of all stand in .muster/test-times.json.
MUSTER_REAL=auto     judge with what can be found, fetched or built; say what did not sit (default)
MUSTER_REAL=require  a missing judge is a failure
MUSTER_REAL=off      no judge sits`;

const args = process.argv.slice(2);
try {
  if (args.includes('--help') || args.includes('-h')) {
    console.log(usage);
  } else {
    const mode = modeIn(process.env);
    const seats = { env: process.env, ...(args.length > 0 && { programs: programsFor(testFilesFor(args)) }) };
    process.exitCode = await runAll({
      mode,
      check: () => checks.map((check) => runCheck(check)),
      seat: () => prepareReferences(mode, seats),
      suites: (ready) => runSuites(args, environmentFor(ready)),
      keep: (times) => keepTimes(process.cwd(), times),
      print: (text) => console.log(text),
    });
  }
} catch (error) {
  if (!(error instanceof MissingReferenceError)) throw error;
  console.error(explain(error));
  process.exitCode = 64;
}
