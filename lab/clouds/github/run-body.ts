/** A run of a workflow as the API writes it: its status follows from its jobs. */
import type { Job } from './records.ts';
import { accountBody, repositoryBody, timeText, type Base, type WireBody } from './wire-bodies.ts';

export type RunStatus = 'queued' | 'in_progress' | 'completed' | 'waiting';

/** The jobs of the newest attempt. */
export function runStatus(jobs: readonly Job[]): RunStatus {
  const statuses = new Set(jobs.map(({ status }) => status));
  if (statuses.size === 1) return jobs[0]?.status ?? 'completed';
  if (statuses.has('in_progress') || statuses.has('completed')) return 'in_progress';
  return 'waiting';
}

export function latestOf(jobs: readonly Job[]): readonly Job[] {
  const attempt = Math.max(...jobs.map((job) => job.runAttempt));
  return jobs.filter((job) => job.runAttempt === attempt);
}

export function runBody(jobs: readonly Job[], base: Base): WireBody {
  const latest = latestOf(jobs);
  const [job] = latest;
  if (job === undefined) throw new Error('a run has at least one job');
  const { runId, repository, commit } = job;
  const url = `${base}/repos/${repository.fullName}/actions/runs/${runId}`;
  const actor = accountBody(repository.owner, base);
  const person = { name: repository.owner.login, email: 'somebody@github.test' };
  const at = timeText(job.createdAt);
  const status = runStatus(latest);
  const shown = repositoryBody(repository, base);
  return {
    id: BigInt(runId),
    name: job.workflow,
    node_id: `WFR_${runId}`,
    head_branch: job.branch,
    head_sha: commit,
    path: '.github/workflows/ci.yml',
    display_title: job.workflow,
    run_number: 1,
    run_attempt: job.runAttempt,
    event: 'push',
    status,
    conclusion: status === 'completed' ? worst(latest) : null,
    workflow_id: 1,
    url,
    html_url: `https://github.test/${repository.fullName}/actions/runs/${runId}`,
    pull_requests: [],
    created_at: at,
    updated_at: at,
    actor,
    triggering_actor: actor,
    run_started_at: at,
    ...placesOf(url),
    check_suite_url: `${base}/repos/${repository.fullName}/check-suites/1`,
    previous_attempt_url: null,
    workflow_url: `${base}/repos/${repository.fullName}/actions/workflows/1`,
    head_commit: {
      id: commit,
      tree_id: commit,
      message: 'Change',
      timestamp: at,
      author: person,
      committer: person,
    },
    repository: shown,
    head_repository: shown,
  };
}

function placesOf(url: string): WireBody {
  return {
    jobs_url: `${url}/jobs`,
    logs_url: `${url}/logs`,
    artifacts_url: `${url}/artifacts`,
    cancel_url: `${url}/cancel`,
    rerun_url: `${url}/rerun`,
  };
}

function worst(jobs: readonly Job[]): string {
  const found = jobs.map(({ conclusion }) => conclusion);
  return ['failure', 'cancelled', 'skipped'].find((one) => found.some((other) => other === one)) ?? 'success';
}
