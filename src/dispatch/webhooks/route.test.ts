/** Since when a job waits, from the webhook to what the recovery makes of it. */
import { expect, it } from 'vitest';
import { minute, RecoveryStand } from '../../../test/recovery-stand.ts';
import { StaleQueuedJobs } from '../recovery/stale-queued-jobs.ts';
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

type Told = Partial<WorkflowJobPayload['workflow_job']>;

/** A job at GitHub of which webhooks tell when they are asked to. */
async function toldJob(stand: RecoveryStand) {
  await stand.install();
  const id = await stand.queueJob({ isKnown: false });
  const createdAt = stand.clock.now();
  const payload = (action: string, told: Told = {}): WorkflowJobPayload => ({
    action,
    installation: { id: stand.tenant.installationId },
    repository: { full_name: stand.tenant.repository },
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
      ...told,
    },
  });
  const tell = async (action: string, told?: Told): Promise<void> => {
    const installation = await stand.store.installation(stand.tenant.installationId);
    const routes = { installation, pools, known: await stand.store.job(id), at: stand.clock.now() };
    const effect = routeJob(payload(action, told), routes);
    const delivery = { guid: `delivery ${action}`, event: 'workflow_job', action, receivedAt: routes.at };
    if (effect.kind !== 'none') await stand.store.ingest(delivery, effect);
  };
  return { id, tell };
}

it.for([
  ['after it was told to wait', ['waiting']],
  ['when nobody told that it waits', []],
] as const)(
  'a job that is approved after a day is not given up while GitHub calls it queued, %s',
  async ([, before]) => {
    const stand = new RecoveryStand();
    const { id, tell } = await toldJob(stand);
    for (const action of before) await tell(action);
    await stand.clock.pass(26 * hour);
    await tell('queued');
    const approvedAt = stand.clock.now();
    const worker = new StaleQueuedJobs(stand.ports);
    await stand.turn(worker, minute);
    expect(await stand.job(id)).toMatchObject({ state: 'queued', queuedAt: approvedAt });
    await stand.clock.pass(25 * hour);
    await stand.turn(worker, minute);
    expect(await stand.job(id)).toMatchObject({ state: 'completed', conclusion: 'stale' });
  },
);

it('a job of a clock that is ahead waits since it was heard of, and is not behind all that come later', async () => {
  const stand = new RecoveryStand();
  const { id, tell } = await toldJob(stand);
  const now = stand.clock.now();
  await tell('waiting', { created_at: now + hour });
  expect((await stand.job(id)).queuedAt).toBe(now);
});

it('a job began and ended when that was heard at the latest, whatever far day the webhook names', async () => {
  const stand = new RecoveryStand();
  const { id, tell } = await toldJob(stand);
  await tell('queued');
  const far = Date.UTC(2999, 0, 1);
  const beganAt = stand.clock.now();
  await tell('in_progress', { runner_name: 'somebody', started_at: far });
  expect((await stand.job(id)).startedAt).toBe(beganAt);
  await stand.clock.pass(minute);
  const end = { runner_name: 'somebody', started_at: far, completed_at: far, conclusion: 'success' };
  await tell('completed', end);
  expect((await stand.job(id)).completedAt).toBe(beganAt + minute);
});

it('a job that ends without a runner never began, whatever time GitHub names for it', async () => {
  const stand = new RecoveryStand();
  const { id, tell } = await toldJob(stand);
  await tell('queued');
  const now = stand.clock.now();
  await tell('completed', { started_at: now, completed_at: now + 1, conclusion: 'cancelled' });
  expect(await stand.job(id)).toMatchObject({ state: 'completed', startedAt: undefined });
});
