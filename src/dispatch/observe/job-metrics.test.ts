import { expect, it } from 'vitest';
import { PromMetrics } from '../../platform/process/prom-metrics.ts';
import { jobMetricsListener } from './job-metrics.ts';

const noon = 1_767_225_600_000;

async function linesAfter(...events: readonly Parameters<ReturnType<typeof jobMetricsListener>>[0][]) {
  const metrics = new PromMetrics();
  const hear = jobMetricsListener(metrics);
  for (const event of events) hear(event);
  return (await metrics.text()).split('\n').filter((line) => line !== '' && !line.startsWith('#'));
}

it('a job is counted at each step, with its waiting and run time by then', async () => {
  const of = { pool: 'linux', queuedAt: noon };
  const lines = await linesAfter(
    { kind: 'enqueued', pool: 'linux' },
    { kind: 'claimed', ...of, at: noon + 2000 },
    { kind: 'requeued', pool: 'linux' },
    { kind: 'claimed', ...of, at: noon + 4000 },
    { kind: 'running', ...of, claimedAt: noon + 4000, at: noon + 4700 },
    { kind: 'completed', ...of, conclusion: 'success', startedAt: noon + 9000, at: noon + 69_000 },
  );
  expect(lines.filter((line) => !line.includes('_bucket'))).toEqual([
    'tuist_runners_job_enqueued_count{fleet="linux"} 1',
    'tuist_runners_job_claim_count{fleet="linux"} 2',
    'tuist_runners_job_queue_time_milliseconds_sum{fleet="linux"} 6000',
    'tuist_runners_job_queue_time_milliseconds_count{fleet="linux"} 2',
    'tuist_runners_job_requeued_count{fleet="linux"} 1',
    'tuist_runners_job_running_count{fleet="linux"} 1',
    'tuist_runners_job_queue_to_running_time_milliseconds_sum{fleet="linux"} 4700',
    'tuist_runners_job_queue_to_running_time_milliseconds_count{fleet="linux"} 1',
    'tuist_runners_job_claim_to_running_time_milliseconds_sum{fleet="linux"} 700',
    'tuist_runners_job_claim_to_running_time_milliseconds_count{fleet="linux"} 1',
    'tuist_runners_job_completed_count{fleet="linux",conclusion="success"} 1',
    'tuist_runners_job_total_time_milliseconds_sum{fleet="linux"} 69000',
    'tuist_runners_job_total_time_milliseconds_count{fleet="linux"} 1',
    'tuist_runners_job_run_time_milliseconds_sum{fleet="linux"} 60000',
    'tuist_runners_job_run_time_milliseconds_count{fleet="linux"} 1',
  ]);
  expect(lines).toContain('tuist_runners_job_run_time_milliseconds_bucket{le="60000",fleet="linux"} 1');
});

it('a job that never started has a total time and no run time', async () => {
  const lines = await linesAfter({
    kind: 'completed',
    pool: 'linux',
    conclusion: 'cancelled',
    queuedAt: noon,
    startedAt: undefined,
    at: noon + 1000,
  });
  expect(lines.join('\n')).toContain('tuist_runners_job_total_time_milliseconds_sum{fleet="linux"} 1000');
  expect(lines.join('\n')).not.toContain('run_time');
});

it('clock skew causes no negative time, and an unknown conclusion no series of its own', async () => {
  const lines = await linesAfter(
    { kind: 'claimed', pool: 'linux', queuedAt: noon, at: noon - 500 },
    { kind: 'completed', pool: 'linux', conclusion: 'x-1', queuedAt: noon, startedAt: undefined, at: noon },
    { kind: 'completed', pool: 'linux', conclusion: 'x-2', queuedAt: noon, startedAt: undefined, at: noon },
  );
  expect(lines).toContain('tuist_runners_job_queue_time_milliseconds_sum{fleet="linux"} 0');
  expect(lines).toContain('tuist_runners_job_completed_count{fleet="linux",conclusion="other"} 2');
});
