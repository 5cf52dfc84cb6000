import { expect, it } from 'vitest';
import { TestClock } from '../../harness/test-clock.ts';
import type { Job } from '../../clouds/github/records.ts';
import { JobDriver } from './job-driver.ts';

const owner = { id: '1', login: 'a', type: 'Organization', createdAt: 0 } as const;
const repository = { id: '2', name: 'b', fullName: 'a/b', owner, createdAt: 0 };

function harness(state = { isOpen: true }) {
  const clock = new TestClock(Date.UTC(2026, 10, 3, 12));
  const jobs: Job[] = [];
  const reported: string[] = [];
  const order = (label: string): Job => {
    const job: Job = {
      id: String(jobs.length + 1),
      runId: '1',
      runAttempt: 1,
      repository,
      name: 'build',
      workflow: 'CI',
      branch: 'main',
      commit: '',
      labels: [label],
      createdAt: clock.now(),
      status: 'queued',
      conclusion: undefined,
      startedAt: undefined,
      completedAt: undefined,
      runner: undefined,
    };
    jobs.push(job);
    return job;
  };
  const driver = new JobDriver({
    clock,
    random: { next: () => 0.5 },
    isOpen: () => Promise.resolve(state.isOpen),
    order,
    platforms: ['linux', 'macs'],
    report: (text) => void reported.push(text),
    onFailure: (error) => expect.fail(String(error)),
  });
  driver.start();
  return { clock, jobs, reported, state, driver };
}

it('orders one first job for each platform, once dispatch is open', async () => {
  const { clock, jobs, state } = harness({ isOpen: false });
  await clock.pass(10_000);
  expect(jobs).toEqual([]);
  state.isOpen = true;
  await clock.pass(1000);
  expect(jobs.map(({ labels }) => labels[0])).toEqual(['linux', 'macs']);
});

it('orders no more jobs while several wait', async () => {
  const { clock, jobs } = harness();
  await clock.settle();
  await clock.pass(600_000);
  expect(jobs).toHaveLength(4);
  for (const job of jobs) job.status = 'in_progress';
  await clock.pass(1000);
  expect(jobs).toHaveLength(5);
});

it('reports the end of a job once, with its conclusion and its runner', async () => {
  const { clock, jobs, reported } = harness();
  await clock.pass(1000);
  for (const job of jobs.slice(0, 1)) {
    const completedAt = job.createdAt + 7000;
    const runner = { id: '9', name: 'linux-runner-1' };
    Object.assign(job, { status: 'completed', conclusion: 'success', completedAt, runner });
  }
  await clock.pass(5000);
  expect(reported).toEqual(['demo: job 1 for linux is over after 7 s: success on linux-runner-1']);
});

it('does nothing after its stop', async () => {
  const { clock, jobs, driver } = harness();
  await clock.pass(1000);
  await driver.stop();
  const before = jobs.length;
  await clock.pass(60_000);
  expect(jobs).toHaveLength(before);
});
