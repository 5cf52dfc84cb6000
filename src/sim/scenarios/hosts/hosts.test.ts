/** The controllers of hosts in the simulator, on the simulated cloud: short runs here, long ones by `npm run sim`. */
import { expect, it } from 'vitest';
import { drain } from '../../../../test/drain.ts';
import { jobsOf, type Mode } from '../../jobs.ts';
import { Runner, type Summary } from '../../runner.ts';
import { hosts } from './hosts.ts';

async function run(
  mode: Mode,
  about: RegExp,
  more: { hours: number; count?: number; most?: number },
): Promise<Summary> {
  const runner = new Runner(
    { scenario: hosts, bug: undefined, failuresMax: 1 },
    { drain, progress: () => undefined, isStopped: () => false },
  );
  const options = { scenario: hosts, mode, count: more.count, from: 1, hours: more.hours };
  const jobs = await jobsOf(options, (what, sent) => runner.rehearse(what, sent));
  return runner.run(jobs.filter(({ label }) => about.test(label)).slice(0, more.most));
}

it('no Mac is lost, shared or handed on with files, under faults by chance', async () => {
  const { failures, runs } = await run('swarm', /./, { hours: 6, count: 3 });
  expect([failures, runs]).toEqual([[], 3]);
});

it('a crash around each of the first writes to the cloud ends as the clean run does', async () => {
  const { failures, runs } = await run('crash-points', /scaleway\//, { hours: 1, most: 24 });
  expect(failures).toEqual([]);
  expect(runs).toBeGreaterThan(8);
});
