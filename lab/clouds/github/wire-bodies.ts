/** The bodies of GitHub's API and webhooks. A bigint is a number of any size. */
import type { HookAttempt } from './hooks.ts';
import type { Account, Installation, Job, Repository, Runner } from './records.ts';

export type WireBody = Readonly<Record<string, unknown>>;

/** The address of the API, without a slash at the end. */
export type Base = string;

const site = 'https://github.test';

export function timeText(at: number): string {
  return new Date(at).toISOString().replace(/\.\d{3}Z$/, 'Z');
}

function timeOrNull(at: number | undefined): string | null {
  return at === undefined ? null : timeText(at);
}

function nodeId(kind: string, id: string): string {
  return `${kind}_${Buffer.from(id).toString('base64url')}`;
}

export function accountBody({ id, login, type }: Account, base: Base): WireBody {
  const url = `${base}/users/${login}`;
  return {
    login,
    id: BigInt(id),
    node_id: nodeId('U', id),
    avatar_url: `${site}/avatars/${login}`,
    gravatar_id: '',
    url,
    html_url: `${site}/${login}`,
    followers_url: `${url}/followers`,
    following_url: `${url}/following{/other_user}`,
    gists_url: `${url}/gists{/gist_id}`,
    starred_url: `${url}/starred{/owner}{/repo}`,
    subscriptions_url: `${url}/subscriptions`,
    organizations_url: `${url}/orgs`,
    repos_url: `${url}/repos`,
    events_url: `${url}/events{/privacy}`,
    received_events_url: `${url}/received_events`,
    type,
    site_admin: false,
  };
}

export function organisationBody({ id, login }: Account, base: Base): WireBody {
  const url = `${base}/orgs/${login}`;
  return {
    login,
    id: BigInt(id),
    node_id: nodeId('O', id),
    url,
    repos_url: `${url}/repos`,
    events_url: `${url}/events`,
    hooks_url: `${url}/hooks`,
    issues_url: `${url}/issues`,
    members_url: `${url}/members{/member}`,
    public_members_url: `${url}/public_members{/member}`,
    avatar_url: `${site}/avatars/${login}`,
    description: null,
  };
}

/** Addresses below a repository: the name of the field, and the path below the address of the repository. */
const repositoryPlaces: Readonly<Record<string, string>> = {
  forks_url: '/forks',
  keys_url: '/keys{/key_id}',
  collaborators_url: '/collaborators{/collaborator}',
  teams_url: '/teams',
  hooks_url: '/hooks',
  issue_events_url: '/issues/events{/number}',
  events_url: '/events',
  assignees_url: '/assignees{/user}',
  branches_url: '/branches{/branch}',
  tags_url: '/tags',
  blobs_url: '/git/blobs{/sha}',
  git_tags_url: '/git/tags{/sha}',
  git_refs_url: '/git/refs{/sha}',
  trees_url: '/git/trees{/sha}',
  statuses_url: '/statuses/{sha}',
  languages_url: '/languages',
  stargazers_url: '/stargazers',
  contributors_url: '/contributors',
  subscribers_url: '/subscribers',
  subscription_url: '/subscription',
  commits_url: '/commits{/sha}',
  git_commits_url: '/git/commits{/sha}',
  comments_url: '/comments{/number}',
  issue_comment_url: '/issues/comments{/number}',
  contents_url: '/contents/{+path}',
  compare_url: '/compare/{base}...{head}',
  merges_url: '/merges',
  archive_url: '/{archive_format}{/ref}',
  downloads_url: '/downloads',
  issues_url: '/issues{/number}',
  pulls_url: '/pulls{/number}',
  milestones_url: '/milestones{/number}',
  notifications_url: '/notifications{?since,all,participating}',
  labels_url: '/labels{/name}',
  releases_url: '/releases{/id}',
  deployments_url: '/deployments',
};

const repositoryConstants = {
  private: true,
  description: null,
  fork: false,
  homepage: null,
  size: 1,
  stargazers_count: 0,
  watchers_count: 0,
  language: null,
  has_issues: true,
  has_projects: true,
  has_downloads: true,
  has_wiki: true,
  has_pages: false,
  forks_count: 0,
  mirror_url: null,
  archived: false,
  disabled: false,
  open_issues_count: 0,
  license: null,
  forks: 0,
  open_issues: 0,
  watchers: 0,
  default_branch: 'main',
  is_template: false,
  web_commit_signoff_required: false,
  topics: [],
  visibility: 'private',
  custom_properties: {},
};

export function repositoryBody(repository: Repository, base: Base): WireBody {
  const { id, name, fullName, owner, createdAt } = repository;
  const url = `${base}/repos/${fullName}`;
  const places = Object.entries(repositoryPlaces).map(([field, below]) => [field, `${url}${below}`]);
  return {
    ...repositoryConstants,
    id: BigInt(id),
    node_id: nodeId('R', id),
    name,
    full_name: fullName,
    owner: accountBody(owner, base),
    html_url: `${site}/${fullName}`,
    url,
    ...Object.fromEntries(places),
    created_at: timeText(createdAt),
    updated_at: timeText(createdAt),
    pushed_at: timeText(createdAt),
    git_url: `git://github.test/${fullName}.git`,
    ssh_url: `git@github.test:${fullName}.git`,
    clone_url: `${site}/${fullName}.git`,
    svn_url: `${site}/${fullName}`,
  };
}

export interface InstallationView {
  readonly installation: Installation;
  readonly appId: string;
  readonly base: Base;
}

export function installationBodyOf({ installation, appId, base }: InstallationView): WireBody {
  const { id, account, createdAt, changedAt, state, mayManageRunners } = installation;
  const isSuspended = state === 'suspended';
  return {
    id: BigInt(id),
    account: accountBody(account, base),
    repository_selection: 'all',
    access_tokens_url: `${base}/app/installations/${id}/access_tokens`,
    repositories_url: `${base}/installation/repositories`,
    html_url: `${site}/organizations/${account.login}/settings/installations/${id}`,
    app_id: BigInt(appId),
    app_slug: 'muster',
    target_id: BigInt(account.id),
    target_type: account.type,
    permissions: {
      actions: 'read',
      metadata: 'read',
      ...(mayManageRunners && { organization_self_hosted_runners: 'write' }),
    },
    events: ['workflow_job'],
    created_at: timeText(createdAt),
    updated_at: timeText(changedAt),
    single_file_name: null,
    suspended_by: isSuspended ? accountBody(account, base) : null,
    suspended_at: isSuspended ? timeText(changedAt) : null,
  };
}

export function runnerBody({ id, name, labels, state }: Runner): WireBody {
  return {
    id: BigInt(id),
    name,
    os: 'unknown',
    status: state === 'online' || state === 'busy' ? 'online' : 'offline',
    busy: state === 'busy' || state === 'lost',
    labels: labels.map((label) => ({ id: 0, name: label, type: 'custom' })),
    runner_group_id: 1,
  };
}

/** The job in a webhook; the API returns a few more fields. */
export function jobBody(job: Job, base: Base): WireBody {
  const { id, runId, repository, runner } = job;
  const url = `${base}/repos/${repository.fullName}`;
  return {
    id: BigInt(id),
    run_id: BigInt(runId),
    workflow_name: job.workflow,
    head_branch: job.branch,
    run_url: `${url}/actions/runs/${runId}`,
    run_attempt: job.runAttempt,
    node_id: nodeId('CR', id),
    head_sha: job.commit,
    url: `${url}/actions/jobs/${id}`,
    html_url: `${site}/${repository.fullName}/actions/runs/${runId}/job/${id}`,
    status: job.status,
    conclusion: job.conclusion ?? null,
    created_at: timeText(job.createdAt),
    // GitHub sets this time even for a job that never started.
    started_at: timeText(job.startedAt ?? job.completedAt ?? job.createdAt),
    completed_at: timeOrNull(job.completedAt),
    name: job.name,
    steps: [],
    check_run_url: `${url}/check-runs/${id}`,
    labels: job.labels,
    runner_id: runner === undefined ? null : BigInt(runner.id),
    runner_name: runner?.name ?? null,
    runner_group_id: runner === undefined ? null : 1,
    runner_group_name: runner === undefined ? null : 'Default',
  };
}

export function deliveryBody(attempt: HookAttempt): WireBody {
  const { repositoryId } = attempt;
  return {
    id: BigInt(attempt.id),
    guid: attempt.guid,
    delivered_at: new Date(attempt.deliveredAt).toISOString(),
    redelivery: attempt.isRedelivery,
    duration: 0.1,
    status: attempt.status,
    status_code: attempt.statusCode,
    event: attempt.event,
    action: attempt.action,
    installation_id: BigInt(attempt.installationId),
    repository_id: repositoryId === undefined ? null : BigInt(repositoryId),
    throttled_at: null,
  };
}
