/** The waiting time of a job, from the webhook to the decisions of the recovery. */
import { expect, it } from 'vitest';
import { minute, RecoveryHarness } from '../../../lab/harness/recovery-harness.ts';
import { StaleQueuedJobs } from '../recovery/jobs/stale-queued-jobs.ts';
import type { WorkflowJobPayload } from './payload.ts';
import { routeJob } from './route.ts';

const hour = 60 * minute;
const pools = [
  {
    name: 'linux',
    dispatchLabel: 'tuist-linux',
    runnerLabels: ['self-hosted'],
    shape: { platform: 'linux', vcpus: 1, memoryGb: 1 },
  },
] as const;

type Reported = Partial<WorkflowJobPayload['workflow_job']>;

/** A job at GitHub whose webhooks are sent on command. */
async function reportedJob(harness: RecoveryHarness) {
  await harness.install();
  const id = await harness.queueJob({ isKnown: false });
  const createdAt = harness.clock.now();
  const payload = (action: string, reported: Reported = {}): WorkflowJobPayload => ({
    action,
    installation: { id: harness.tenant.installationId },
    repository: { full_name: harness.tenant.repository },
    workflow_job: {
      id,
      run_id: '1',
      run_attempt: 1,
      name: 'deploy',
      workflow_name: 'release',
      head_branch: 'main',
      head_sha: 'c0ffee',
      labels: ['self-hosted', 'tuist-linux'],
      created_at: createdAt,
      started_at: undefined,
      completed_at: undefined,
      conclusion: undefined,
      runner_name: undefined,
      ...reported,
    },
  });
  const report = async (action: string, reported?: Reported): Promise<void> => {
    const installation = await harness.store.installation(harness.tenant.installationId);
    const routes = { installation, pools, known: await harness.store.job(id), at: harness.clock.now() };
    const effect = routeJob(payload(action, reported), routes);
    const delivery = { guid: `delivery ${action}`, event: 'workflow_job', action, receivedAt: routes.at };
    if (effect.kind !== 'none') await harness.store.ingest(delivery, effect);
  };
  return { id, report };
}

it.for([
  ['after a waiting webhook', ['waiting']],
  ['without a waiting webhook', []],
] as const)(
  'a job approved after a day is not given up while it is queued at GitHub, %s',
  async ([, before]) => {
    const harness = new RecoveryHarness();
    const { id, report } = await reportedJob(harness);
    for (const action of before) await report(action);
    await harness.clock.pass(26 * hour);
    await report('queued');
    const approvedAt = harness.clock.now();
    const worker = new StaleQueuedJobs(harness.ports);
    await harness.round(worker, minute);
    expect(await harness.job(id)).toMatchObject({ state: 'queued', queuedAt: approvedAt });
    await harness.clock.pass(25 * hour);
    await harness.round(worker, minute);
    expect(await harness.job(id)).toMatchObject({ state: 'completed', conclusion: 'stale' });
  },
);

it('a job with a future creation time waits since its webhook, and is not behind all later jobs', async () => {
  const harness = new RecoveryHarness();
  const { id, report } = await reportedJob(harness);
  const now = harness.clock.now();
  await report('waiting', { created_at: now + hour });
  expect((await harness.job(id)).queuedAt).toBe(now);
});

it('start and end of a job are not after the webhook, whatever future time the webhook names', async () => {
  const harness = new RecoveryHarness();
  const { id, report } = await reportedJob(harness);
  await report('queued');
  const far = Date.UTC(2999, 0, 1);
  const beganAt = harness.clock.now();
  await report('in_progress', { runner_name: 'other', started_at: far });
  expect((await harness.job(id)).startedAt).toBe(beganAt);
  await harness.clock.pass(minute);
  const end = { runner_name: 'other', started_at: far, completed_at: far, conclusion: 'success' };
  await report('completed', end);
  expect((await harness.job(id)).completedAt).toBe(beganAt + minute);
});

it('a job that ends without a runner never started, whatever start time GitHub sends', async () => {
  const harness = new RecoveryHarness();
  const { id, report } = await reportedJob(harness);
  await report('queued');
  const now = harness.clock.now();
  await report('completed', { started_at: now, completed_at: now + 1, conclusion: 'cancelled' });
  expect(await harness.job(id)).toMatchObject({ state: 'completed', startedAt: undefined });
});
