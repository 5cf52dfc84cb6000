/** Routes a webhook: the account and pool of its job, and the effect. Pure. */
import { labelsOfRunner } from '../assign/registration.ts';
import type { Effect, JobEnd } from '../store/port.ts';
import type { Installation, Job, JobDraft, Shape, Size } from '../store/rows.ts';
import type { InstallationPayload, WorkflowJobPayload } from './payload.ts';
import type { ProfileRoute } from './profile-routes.ts';

/** The fields of a RunnerPool that routing needs. */
export interface PoolRoute {
  readonly name: string;
  /** Compared case-insensitively, as GitHub does. */
  readonly dispatchLabel: string;
  /** Labels of its runners at GitHub, in addition to the label that chose the pool. */
  readonly runnerLabels: readonly string[];
  readonly shape: Shape;
}

/** The webhook has no effect, and why. */
export interface Ignored {
  readonly kind: 'none';
  readonly why: string;
}

export interface Routes {
  readonly installation: Installation | undefined;
  readonly pools: readonly PoolRoute[];
  /** The profiles of the account of the installation. */
  readonly profiles?: readonly ProfileRoute[];
  /** The stored job, if it was read. A stored job keeps its pool, whatever happened to its profile or pool since. */
  readonly known?: Job | undefined;
  /** When the webhook arrived: a job that it reports as queued waits since then, whenever GitHub created the job. */
  readonly at: number;
}

export function routeJob(payload: WorkflowJobPayload, routes: Routes): Effect | Ignored {
  const { installation, at } = routes;
  if (installation === undefined) return ignored('unknown_installation');
  if (installation.state !== 'active' && payload.action !== 'completed')
    return ignored(`installation_${installation.state}`);
  const target = targetOf(payload, routes);
  if ('kind' in target) return target;
  return effectOf(payload, draftOf(payload, { installation, target, at }), at);
}

/** Reasons to ignore a job that concern its target and not the job itself. */
const unplaced: ReadonlySet<string> = new Set([
  'no_matching_pool',
  'ambiguous_pool',
  'no_pool_for_profile',
  'ambiguous_profile',
  'no_runner_with_labels',
]);
const ofTheRow: ReadonlySet<string> = new Set(['in_progress', 'completed']);

/**
 * Whether the webhook has an effect if the job is stored, although routing fails: its pool may be going, or share its
 * label with another pool by now. A start or an end concerns the stored job, whatever its labels would mean today.
 */
export function isAboutRow({ action }: WorkflowJobPayload, effect: Effect | Ignored): boolean {
  return effect.kind === 'none' && unplaced.has(effect.why) && ofTheRow.has(action);
}

/** The pool of a job, and the label that its runner must have. */
type Target = Pick<JobDraft, 'pool' | 'shape' | 'label'>;

function targetOf(
  { workflow_job: { labels: said } }: WorkflowJobPayload,
  { pools, profiles = [], known }: Routes,
): Target | Ignored {
  if (known !== undefined) return known;
  const labels = new Set(said.map((label) => label.toLowerCase()));
  const named = profiles.filter(({ label }) => labels.has(label.toLowerCase()));
  if (named.length > 1) return ignored('ambiguous_profile');
  const [profile] = named;
  if (profile !== undefined) return poolOfProfile(profile, pools, labels);
  const matching = pools.filter(({ dispatchLabel }) => labels.has(dispatchLabel.toLowerCase()));
  const [pool] = matching;
  if (pool === undefined) return ignored('no_matching_pool');
  if (matching.length > 1) return ignored('ambiguous_pool');
  return runnableOn(pool, labels, pool.dispatchLabel);
}

/** The shape is that of the pool, since budgets count what Pods really use. */
function poolOfProfile(
  { label, pool: name }: ProfileRoute,
  pools: readonly PoolRoute[],
  labels: ReadonlySet<string>,
): Target | Ignored {
  const pool = pools.find((one) => one.name === name);
  return pool === undefined ? ignored('no_pool_for_profile') : runnableOn(pool, labels, label);
}

/** GitHub gives a job only to a runner with all of its labels: for any other job, Pod after Pod would wait in vain. */
function runnableOn(pool: PoolRoute, wanted: ReadonlySet<string>, label: string): Target | Ignored {
  const { name, shape } = pool;
  const had = new Set(labelsOfRunner(pool, label).map((one) => one.toLowerCase()));
  if (![...wanted].every((one) => had.has(one))) return ignored('no_runner_with_labels');
  return { pool: name, shape, label };
}

function effectOf(
  { action, workflow_job: reported }: WorkflowJobPayload,
  job: JobDraft,
  at: number,
): Effect | Ignored {
  switch (action) {
    case 'waiting':
      return { kind: 'wait', job };
    case 'queued':
      return { kind: 'enqueue', job, at };
    case 'in_progress':
      return reported.runner_name
        ? {
            kind: 'start',
            job,
            runnerName: reported.runner_name,
            at: notAfter(at, reported.started_at ?? job.queuedAt),
          }
        : ignored('no_runner_name');
    case 'completed':
      return { kind: 'complete', job, end: endOf(reported, { queuedAt: job.queuedAt, at }) };
    default:
      return ignored('unknown_action');
  }
}

/** Clamps a time in the future, which would keep the job, its Pod and its row for as long. */
function notAfter(at: number, time: number): number {
  return Math.min(time, at);
}

function endOf(
  reported: WorkflowJobPayload['workflow_job'],
  { queuedAt, at }: { readonly queuedAt: number; readonly at: number },
): JobEnd {
  const runnerName = reported.runner_name || undefined;
  return {
    runnerName,
    // GitHub sends a start time even for a job that never started.
    startedAt:
      runnerName === undefined || reported.started_at === undefined
        ? undefined
        : notAfter(at, reported.started_at),
    conclusion: reported.conclusion ?? 'unknown',
    at: notAfter(at, reported.completed_at ?? queuedAt),
  };
}

interface Found {
  readonly installation: Installation;
  readonly target: Target;
  readonly at: number;
}

function draftOf(payload: WorkflowJobPayload, { installation, target, at }: Found): JobDraft {
  const { workflow_job: reported } = payload;
  const { pool, shape, label } = target;
  return {
    id: reported.id,
    accountId: installation.accountId,
    installationId: installation.id,
    pool,
    shape,
    label,
    repository: payload.repository.full_name,
    runId: reported.run_id,
    runAttempt: reported.run_attempt,
    workflow: reported.workflow_name ?? '',
    name: reported.name,
    branch: reported.head_branch ?? '',
    commit: reported.head_sha,
    // A clock that is ahead must not put the job behind all later jobs.
    queuedAt: notAfter(at, reported.created_at ?? at),
  };
}

const installationStates: ReadonlyMap<string, Installation['state']> = new Map([
  ['created', 'active'],
  ['unsuspend', 'active'],
  ['new_permissions_accepted', 'active'],
  ['suspend', 'suspended'],
  ['deleted', 'removed'],
]);

/** A new account gets a profile of `firstProfile`, if given. */
export function routeInstallation(
  { action, installation }: InstallationPayload,
  firstProfile?: Size,
): Effect | Ignored {
  const state = installationStates.get(action);
  if (state === undefined) return ignored('unknown_action');
  const { id, account } = installation;
  return { kind: 'install', account, installation: { id, accountId: account.id, state }, firstProfile };
}

function ignored(why: string): Ignored {
  return { kind: 'none', why };
}
