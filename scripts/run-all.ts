/** The steps of `npm test` in order. The exit status is 0 only if no counted check, suite or reference failed. */
import type { Mode } from '../test/reference/mode.ts';
import type { Found } from '../test/reference/ready.ts';
import { exceptions } from '../lab/contracts/kubernetes-api/exceptions.ts';
import { lacks } from '../lab/contracts/kubernetes-api/lacks.ts';
import { closingLine, sum, type Tally } from './checks.ts';
import { contractReport } from './contract-report.ts';
import type { Seated } from './prepare-references.ts';
import type { SuitesRun } from './suites.ts';
import { slowestReport, type TestTimes } from './test-times.ts';

export interface Steps {
  readonly mode: Mode;
  readonly check: () => readonly Tally[];
  /** Prepares the reference programs. */
  readonly seat: () => Promise<Seated>;
  readonly suites: (ready: readonly Found[]) => SuitesRun;
  /** Stores the duration of each file for the next run. */
  readonly keep: (times: TestTimes) => void;
  readonly print: (text: string) => void;
}

export async function runAll({ mode, check, seat, suites, keep, print }: Steps): Promise<number> {
  const checked = check();
  const { ready, absent } = await seat();
  // A missing reference program counts as a failure only in the mode `require`.
  const evaluated: Tally = { passed: 0, failed: mode === 'require' ? absent.length : 0, skipped: 0 };
  const { tally: suited, report, times } = suites(ready);
  keep(times);
  const tally = sum([...checked, evaluated, suited]);
  const contract = contractReport(report, { exceptions, lacks });
  for (const part of [slowestReport(times), contract]) if (part !== '') print(`\n${part}`);
  if (absent.length > 0) print(`\nNOT COMPARED with:\n${absent.map((line) => `  ${line}`).join('\n')}\n`);
  return verdict(tally, print);
}

export function verdict(tally: Tally, print: (text: string) => void): number {
  print(closingLine(tally));
  return tally.failed === 0 ? 0 : 1;
}
