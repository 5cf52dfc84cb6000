/** Short runs of a scenario, for its tests; `npm run sim` makes long runs. */
import { jobsOf, type Mode } from '../simulator/engine/jobs.ts';
import { Runner, type Summary } from '../simulator/engine/sim-runner.ts';
import type { Scenario } from '../simulator/engine/scenario.ts';
import { drain } from './drain.ts';

export interface RunOrder {
  readonly mode: Mode;
  readonly hours: number;
  readonly count?: number;
  /** The first seed; 1 by default. */
  readonly from?: number;
  /** Only runs whose label matches. */
  readonly about?: RegExp;
  readonly most?: number;
}

export async function runScenario(scenario: Scenario, order: RunOrder): Promise<Summary> {
  const { mode, hours, count, from = 1, about = /./, most } = order;
  const runner = new Runner(
    { scenario, bug: undefined, failuresMax: 1 },
    { drain, progress: () => undefined, isStopped: () => false },
  );
  const options = { scenario, mode, count, from, hours };
  const jobs = await jobsOf(options, (what, sent) => runner.rehearse(what, sent));
  return runner.run(jobs.filter(({ label }) => about.test(label)).slice(0, most));
}
