/** Dispatch, the pool controller and simulated Nodes in one world: short runs here, long ones by `npm run sim`. */
import { expect, it } from 'vitest';
import { drain } from '../../../../test/drain.ts';
import { jobsOf, type Mode } from '../../jobs.ts';
import { Runner, type Summary } from '../../runner.ts';
import { runners } from './runners.ts';

async function run(
  mode: Mode,
  about: RegExp,
  more: { hours: number; count?: number; most?: number; bug?: string },
): Promise<Summary> {
  const runner = new Runner(
    { scenario: runners, bug: more.bug, failuresMax: 1 },
    { drain, progress: () => undefined, isStopped: () => false },
  );
  const options = { scenario: runners, mode, count: more.count, from: 1, hours: more.hours };
  const jobs = await jobsOf(options, (what, sent) => runner.rehearse(what, sent));
  return runner.run(jobs.filter(({ label }) => about.test(label)).slice(0, more.most));
}

it('no job is killed, doubled or left over, under faults by chance', async () => {
  const { failures, runs } = await run('swarm', /./, { hours: 3, count: 3 });
  expect([failures, runs]).toEqual([[], 3]);
});

it('a death of dispatch around each of its first writes leaves nothing over', async () => {
  const { failures, runs } = await run(
    'crash-points',
    /dispatch-[ab]\/(database\/(claim|promote)|github\/register|kube\/patch pods)/,
    {
      hours: 0.5,
      most: 12,
    },
  );
  expect(failures).toEqual([]);
  expect(runs).toBeGreaterThan(8);
});

it('the older way to remove marked Pods is found to kill a job that is at work', async () => {
  const { failures } = await run('swarm', /./, { hours: 6, count: 3, bug: 'older-reaper' });
  expect(failures.map(({ violation }) => violation.id)).toEqual(['S12']);
});
