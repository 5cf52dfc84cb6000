/** Dispatch, the pool controller and simulated Nodes in one world: short runs here, long runs by `npm run sim`. */
import { expect, it } from 'vitest';
import { drain } from '../../../harness/drain.ts';
import { runScenario } from '../../../harness/run-scenario.ts';
import { noFaults } from '../../faults/fault-plan.ts';
import { jobsOf } from '../../engine/jobs.ts';
import { runOnce, type RunResult } from '../../engine/run.ts';
import { runners } from './runners.ts';

/** Runs are long, and their duration depends on the load of the machine. */
const patienceMs = 300_000;

it(
  'no job is killed, doubled or left over, under random faults',
  async () => {
    const { failures, runs } = await runScenario(runners, { mode: 'swarm', hours: 2, count: 2 });
    expect([failures, runs]).toEqual([[], 2]);
  },
  patienceMs,
);

it(
  'a crash of dispatch around each of its first writes leaves nothing over',
  async () => {
    const { failures, runs } = await runScenario(runners, {
      mode: 'crash-points',
      hours: 0.5,
      about: /dispatch-[ab]\/(database\/(claim|promote)|github\/register|kube\/patch pods)/,
      most: 6,
    });
    expect(failures).toEqual([]);
    expect(runs).toBe(6);
  },
  patienceMs,
);

/** Six hours under the same faults, with the mistake planted or only counted. */
async function sixHours(bug: string | undefined): Promise<RunResult> {
  const options = { scenario: runners, mode: 'swarm', count: 1, from: 1, hours: 6 } as const;
  const [job] = await jobsOf(options, async () => expect.fail('nothing to compare with is needed'));
  const faults = job?.faults ?? (() => noFaults);
  return runOnce(runners, { seed: 1, hours: 6, faults, drain, bug });
}

it(
  'the older way to remove stamped Pods kills a running job, and the run reports that',
  async () => expect((await sixHours('older-reaper')).violation?.id).toBe('S12'),
  patienceMs,
);

it(
  'a job that the older way would have killed is counted, and survives',
  async () => {
    const { violation, reachability } = await sixHours(undefined);
    expect(violation).toBeUndefined();
    const row = 'shown: the older way would have deleted a Pod with a job at work';
    expect(reachability.rows[row]).toBeGreaterThan(0);
  },
  patienceMs,
);
