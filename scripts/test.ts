/** `npm test`: runs the checks, prepares the reference programs, runs every suite, and prints one closing line. */
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

Runs types, lint and format, prepares the reference programs, and runs every suite. With FILTER: only suites whose path
contains it, and their reference programs. Prints the slowest files; .muster/test-times.json has all durations.
MUSTER_REAL=auto     use reference programs that are found, fetched or built, and list the missing ones (default)
MUSTER_REAL=require  a missing reference program is a failure
MUSTER_REAL=off      use no reference program`;

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
