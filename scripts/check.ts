/** `npm run check`: types, lint, format and the architecture rules, in well under a minute. */
import { checks, runCheck, sum } from './checks.ts';
import { verdict } from './run-all.ts';
import { runSuites } from './suites.ts';

const tally = sum([...checks.map((check) => runCheck(check)), runSuites(['test/architecture']).tally]);
process.exitCode = verdict(tally, (text) => console.log(text));
