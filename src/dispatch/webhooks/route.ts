/** What a webhook is about: whose job it is, which pool it is for, and what follows. Pure. */
import type { Effect, JobEnd } from '../store/port.ts';
import type { Installation, JobDraft, Shape } from '../store/rows.ts';
import type { InstallationPayload, WorkflowJobPayload } from './payload.ts';

/** What a RunnerPool says that routing needs. */
export interface PoolRoute {
  readonly name: string;
  /** Compared without regard to case, as GitHub does. */
  readonly dispatchLabel: string;
  readonly shape: Shape;
}

/** Nothing follows from it, and why. */
export interface Ignored {
  readonly kind: 'none';
  readonly why: string;
}

export interface Routes {
  readonly installation: Installation | undefined;
  readonly pools: readonly PoolRoute[];
  /** When the webhook came, for one that does not say when its job was made. */
  readonly at: number;
}

export function routeJob(payload: WorkflowJobPayload, routes: Routes): Effect | Ignored {
  const { installation, pools } = routes;
  if (installation === undefined) return ignored('unknown_installation');
  if (installation.state !== 'active' && payload.action !== 'completed')
    return ignored(`installation_${installation.state}`);
  const labels = new Set(payload.workflow_job.labels.map((label) => label.toLowerCase()));
  const matching = pools.filter(({ dispatchLabel }) => labels.has(dispatchLabel.toLowerCase()));
  const [pool] = matching;
  if (pool === undefined) return ignored('no_matching_pool');
  if (matching.length > 1) return ignored('ambiguous_pool');
  return effectOf(payload, draftOf(payload, { installation, pool, at: routes.at }));
}

function effectOf({ action, workflow_job: told }: WorkflowJobPayload, job: JobDraft): Effect | Ignored {
  switch (action) {
    case 'waiting':
      return { kind: 'wait', job };
    case 'queued':
      return { kind: 'enqueue', job };
    case 'in_progress':
      return told.runner_name
        ? { kind: 'start', job, runnerName: told.runner_name, at: told.started_at ?? job.queuedAt }
        : ignored('no_runner_name');
    case 'completed':
      return { kind: 'complete', job, end: endOf(told, job.queuedAt) };
    default:
      return ignored('unknown_action');
  }
}

function endOf(told: WorkflowJobPayload['workflow_job'], queuedAt: number): JobEnd {
  const runnerName = told.runner_name || undefined;
  return {
    runnerName,
    // GitHub names a time also for a job that nobody ever began.
    startedAt: runnerName === undefined ? undefined : told.started_at,
    conclusion: told.conclusion ?? 'unknown',
    at: told.completed_at ?? queuedAt,
  };
}

interface Found {
  readonly installation: Installation;
  readonly pool: PoolRoute;
  readonly at: number;
}

function draftOf(payload: WorkflowJobPayload, { installation, pool, at }: Found): JobDraft {
  const { workflow_job: told } = payload;
  return {
    id: told.id,
    accountId: installation.accountId,
    installationId: installation.id,
    pool: pool.name,
    shape: pool.shape,
    label: pool.dispatchLabel,
    repository: payload.repository.full_name,
    runId: told.run_id,
    runAttempt: told.run_attempt,
    workflow: told.workflow_name ?? '',
    name: told.name,
    branch: told.head_branch ?? '',
    commit: told.head_sha,
    // A clock that is ahead must not put a job behind all that come later.
    queuedAt: Math.min(told.created_at ?? at, at),
  };
}

const installationStates: ReadonlyMap<string, Installation['state']> = new Map([
  ['created', 'active'],
  ['unsuspend', 'active'],
  ['new_permissions_accepted', 'active'],
  ['suspend', 'suspended'],
  ['deleted', 'removed'],
]);

export function routeInstallation({ action, installation }: InstallationPayload): Effect | Ignored {
  const state = installationStates.get(action);
  if (state === undefined) return ignored('unknown_action');
  const { id, account } = installation;
  return { kind: 'install', account, installation: { id, accountId: account.id, state } };
}

function ignored(why: string): Ignored {
  return { kind: 'none', why };
}
