/** Schemas of the fields that dispatch reads from answers of GitHub; other fields may be anything. */
import { z } from 'zod';
import { Secret } from '../../platform/secret.ts';
import { line } from '../one-line.ts';
import type { JobAtGitHub } from './port.ts';

/** An id as digits, from a number or from the text of a number too large for JavaScript. */
const id = z
  .union([z.int().nonnegative(), z.string()])
  .transform(String)
  .pipe(z.string().regex(/^[0-9]{1,20}$/));
const time = z
  .string()
  .transform((text) => Date.parse(text))
  .pipe(z.int().positive());
const secret = z
  .string()
  .min(1)
  .transform((text) => new Secret(text));
const nothing = undefined;
const orNothing = <T extends z.ZodType>(schema: T) => schema.nullish().transform((value) => value ?? nothing);

export const installationToken = z.object({ token: secret, expires_at: time });

const account = z.object({ id, login: z.string() });
export const installationBody = z
  .object({ id, account, suspended_at: orNothing(z.string()) })
  .transform((reported) => ({
    id: reported.id,
    account: reported.account,
    state: reported.suspended_at === nothing ? ('active' as const) : ('suspended' as const),
  }));

export const registrationBody = z
  .object({ encoded_jit_config: secret, runner: z.object({ id, name: z.string() }) })
  .transform(({ encoded_jit_config: jitConfig, runner }) => ({
    runnerId: runner.id,
    runnerName: runner.name,
    jitConfig,
  }));

const runner = z
  .object({
    id,
    name: z.string(),
    status: z.string(),
    busy: z.boolean(),
    labels: z.array(z.object({ name: z.string() })),
  })
  .transform((reported) => ({
    id: reported.id,
    name: reported.name,
    isOnline: reported.status === 'online',
    isBusy: reported.busy,
    labels: reported.labels.map(({ name }) => name),
  }));
export const runnersPage = z.object({ runners: z.array(runner) }).transform((page) => page.runners);

const statuses: ReadonlySet<string> = new Set(['queued', 'in_progress', 'completed', 'waiting']);
function isKnown(status: string): status is JobAtGitHub['status'] {
  return statuses.has(status);
}

export const jobBody = z
  .object({
    id,
    status: z.string(),
    conclusion: orNothing(z.string()),
    runner_name: orNothing(z.string()),
    started_at: orNothing(time),
    completed_at: orNothing(time),
  })
  .transform((reported): JobAtGitHub => {
    const runnerName = reported.runner_name || undefined;
    return {
      id: reported.id,
      status: isKnown(reported.status) ? reported.status : 'other',
      conclusion: reported.conclusion,
      runnerName,
      // GitHub sends a start time even for a job that never started.
      startedAt: runnerName === undefined ? undefined : reported.started_at,
      completedAt: reported.completed_at,
    };
  });

const queuedJob = z
  .object({
    id,
    run_id: id,
    run_attempt: z.int().positive().catch(1),
    status: z.string(),
    name: line,
    workflow_name: orNothing(line),
    head_branch: orNothing(line),
    head_sha: line,
    labels: z.array(z.string()),
    created_at: time,
  })
  .transform((reported) => ({
    id: reported.id,
    runId: reported.run_id,
    runAttempt: reported.run_attempt,
    status: reported.status,
    name: reported.name,
    workflow: reported.workflow_name ?? '',
    branch: reported.head_branch ?? '',
    commit: reported.head_sha,
    labels: reported.labels,
    createdAt: reported.created_at,
  }));
export const jobsPage = z.object({ jobs: z.array(queuedJob) }).transform((page) => page.jobs);
export const runsPage = z
  .object({ workflow_runs: z.array(z.object({ id })) })
  .transform((page) => page.workflow_runs.map((run) => run.id));
export const repositoriesPage = z
  .object({ repositories: z.array(z.object({ full_name: z.string() })) })
  .transform((page) => page.repositories.map((repository) => repository.full_name));

export const deliveriesPage = z.array(
  z
    .object({
      id,
      guid: z.string(),
      event: z.string(),
      delivered_at: time,
      status_code: z.int(),
      status: z.string(),
    })
    .transform((reported) => ({
      id: reported.id,
      guid: reported.guid,
      event: reported.event,
      deliveredAt: reported.delivered_at,
      wasAccepted: (reported.status_code >= 200 && reported.status_code < 300) || reported.status === 'OK',
    })),
);
