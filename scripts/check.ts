/** `npm run check`: types, lint, format and the walls of test/tidy, in well under a minute. */
import { checks, closingLine, runCheck, sum } from './checks.ts';
import { runSuites } from './suites.ts';

const tally = sum([...checks.map((check) => runCheck(check)), runSuites(['test/tidy'])]);
console.log(closingLine(tally));
process.exitCode = tally.failed === 0 ? 0 : 1;
