/** Answers to an installation: it sees only its own repositories, jobs and runners. */
import { paged } from './pages.ts';
import {
  covers,
  isSameName,
  type Installation,
  type Job,
  type Repository,
  type RunnerScope,
} from './records.ts';
import { latestOf, runBody, runStatus } from './run-body.ts';
import type { GitHubSite } from './site.ts';
import { notFound, refusal, type SiteReply, type SiteRequest } from './site-request.ts';
import { jobBody, repositoryBody, runnerBody } from './wire-bodies.ts';

export type TenantRequest = Exclude<
  SiteRequest,
  { what: 'get installation' | 'create token' | 'list deliveries' | 'redeliver' }
>;
type TenantOperation = TenantRequest['what'];
type Request<What extends TenantOperation> = Extract<TenantRequest, { what: What }>;

export const suspended = refusal(403, 'This installation has been suspended');

interface Tenancy<What extends TenantOperation> {
  readonly site: GitHubSite;
  readonly installation: Installation;
  readonly request: Request<What>;
}

type TenantAnswers = {
  readonly [What in TenantOperation]: (tenancy: Tenancy<What>) => SiteReply;
};

const tenantAnswers: TenantAnswers = {
  'list repositories': ({ site, installation, request }) => {
    const items = site.directory.repositoriesOf(installation);
    const bodies = items.map((one) => repositoryBody(one, site.base));
    return paged(`${site.base}/installation/repositories`, request, { repositories: bodies });
  },
  'register runner': ({ site, installation, request }) => {
    const denied = runnersDenied(installation, request.scope, site);
    if (denied !== undefined) return denied;
    if (request.name.length > 64 || request.labels.length === 0 || request.labels.length > 100)
      return refusal(422, 'Validation Failed');
    const runner = site.hall.register(request.scope, request);
    if (runner === undefined)
      return refusal(409, `Already exists - A runner with the name ${request.name} already exists.`);
    return { status: 201, body: { runner: runnerBody(runner), encoded_jit_config: runner.jitConfig } };
  },
  'list runners': ({ site, installation, request }) => {
    const denied = runnersDenied(installation, request.scope, site);
    const asked = site.hall
      .runners(request.scope)
      .filter(({ name }) => request.name === undefined || request.name === name);
    const bodies = asked.map(runnerBody);
    return denied ?? paged(`${addressOf(request.scope, site)}/actions/runners`, request, { runners: bodies });
  },
  'remove runner': ({ site, installation, request }) => {
    const denied = runnersDenied(installation, request.scope, site);
    if (denied !== undefined) return denied;
    const result = site.hall.remove(request.scope, request.id);
    if (result === 'unknown') return notFound;
    return result === 'removed'
      ? { status: 204 }
      : refusal(422, `Runner ${request.id} is currently running a job and cannot be deleted.`);
  },
  'get job': ({ site, installation, request }) => {
    const job = site.board.job(request.id);
    const repository = visible(installation, request.repository, site);
    if (job === undefined || job.repository !== repository) return notFound;
    return { status: 200, body: jobBody(job, site.base) };
  },
  'list runs': ({ site, installation, request }) => {
    const repository = visible(installation, request.repository, site);
    if (repository === undefined) return notFound;
    const { status = '' } = request;
    const bodies = runsOf(site, repository)
      .filter((jobs) => status === '' || runStatus(latestOf(jobs)) === status)
      .map((jobs) => runBody(jobs, site.base));
    const address = `${site.base}/repos/${repository.fullName}/actions/runs`;
    return paged(address, request, { workflow_runs: bodies });
  },
  'list jobs': ({ site, installation, request }) => {
    const repository = visible(installation, request.repository, site);
    const run = repository && runsOf(site, repository).find(([job]) => job?.runId === request.runId);
    if (repository === undefined || run === undefined) return notFound;
    const address = `${site.base}/repos/${repository.fullName}/actions/runs/${request.runId}/jobs`;
    return paged(address, request, { jobs: latestOf(run).map((job) => jobBody(job, site.base)) });
  },
};

export function toInstallation<What extends TenantOperation>(
  site: GitHubSite,
  request: Request<What>,
  token: string,
): SiteReply {
  const installation = site.directory.holderOf(token);
  if (installation === undefined) return refusal(401, 'Bad credentials');
  if (installation.state === 'suspended') return suspended;
  const go: TenantAnswers[What] = tenantAnswers[request.what];
  return site.throttle.refusal() ?? go({ site, installation, request });
}

/** Undefined where the caller may manage runners. A person has no organization runners. */
function runnersDenied(
  installation: Installation,
  scope: RunnerScope,
  site: GitHubSite,
): SiteReply | undefined {
  const { account, mayManageRunners } = installation;
  const isThere =
    scope.kind === 'organisation'
      ? account.type === 'Organization' && isSameName(account.login, scope.name)
      : visible(installation, scope.name, site) !== undefined;
  if (!isThere) return notFound;
  return mayManageRunners ? undefined : refusal(403, 'Resource not accessible by integration');
}

function visible(installation: Installation, fullName: string, site: GitHubSite): Repository | undefined {
  return site.directory
    .repositoriesOf(installation)
    .find((repository) => covers({ kind: 'repository', name: fullName }, repository));
}

/** Newest first, as lists of their jobs. */
function runsOf({ board }: GitHubSite, repository: Repository): readonly (readonly Job[])[] {
  const jobs = board.jobs.filter((job) => job.repository === repository);
  return [...Map.groupBy(jobs, ({ runId }) => runId).values()].toReversed();
}

function addressOf({ kind, name }: RunnerScope, { base }: GitHubSite): string {
  return `${base}/${kind === 'organisation' ? 'orgs' : 'repos'}/${name}`;
}
