/** The port to GitHub on its REST API: the requests of each operation, and the meaning of their answers. */
import { FleetError, isFleetError } from '../../platform/errors/fleet-error.ts';
import type { Clock } from '../../platform/clock.ts';
import { GitHubClient, theApp, type Listing } from './github-client.ts';
import type { PaceOptions } from './installation-rate-limiter.ts';
import type {
  DeliveriesLook,
  FoundDeliveries,
  FoundQueued,
  GitHub,
  HookDelivery,
  InstallationAtGitHub,
  JobAtGitHub,
  Listener,
  QueuedJob,
  QueuedLook,
  Registration,
  RunnerAtGitHub,
  RunnerOfInstallation,
  RunnerOrder,
  RunnerPlace,
  Tenant,
} from './port.ts';
import { repositoriesRoundRobin } from './round-robin.ts';
import type { GitHubTransport } from './transport.ts';
import {
  deliveriesPage,
  installationBody,
  jobBody,
  jobsPage,
  registrationBody,
  repositoriesPage,
  runnersPage,
  runsPage,
} from './wire.ts';

/** Where runners are registered, as a path with parameters. */
interface Scope {
  readonly place: RunnerPlace;
  readonly path: '/orgs/{org}' | '/repos/{owner}/{repo}';
  readonly parameters: Readonly<Record<string, string>>;
}

/** The default runner group, which every organisation has and all its repositories may use. */
const defaultRunnerGroup = 1;
/** Statuses of runs that may contain queued jobs. */
const openRunStatuses = ['queued', 'in_progress', 'waiting'];

export class RestGitHub implements GitHub {
  readonly #github: GitHubClient;

  constructor(transport: GitHubTransport, clock: Clock, pace: PaceOptions = {}) {
    this.#github = new GitHubClient(transport, clock, pace);
  }

  async register(
    { name, labels, workFolder, ...tenant }: RunnerOrder,
    listener: Listener = { until: Infinity },
  ): Promise<Registration> {
    const { installationId: speaker, repository } = tenant;
    const doing = `register runner ${name} for ${repository}`;
    // Check the retry time first, so that blocked callers do not take slots of the queue.
    const { pace } = this.#github;
    pace.mayAsk(speaker, doing);
    await pace.slot(ownerAndRepo(tenant).owner.toLowerCase(), listener, doing);
    const body = { name, labels, work_folder: workFolder, runner_group_id: defaultRunnerGroup };
    return inOrganisationOrRepository(tenant, async ({ path, parameters, place }) => {
      pace.mayAnswer(listener, doing);
      const registered = await this.#github.read(registrationBody, {
        route: `POST ${path}/actions/runners/generate-jitconfig`,
        parameters: { ...parameters, ...body },
        speaker,
        doing,
        isWrite: true,
        expects: 201,
      });
      return { ...registered, place };
    });
  }

  async job(tenant: Tenant, jobId: string): Promise<JobAtGitHub> {
    return this.#github.read(jobBody, {
      route: 'GET /repos/{owner}/{repo}/actions/jobs/{job_id}',
      parameters: { ...ownerAndRepo(tenant), job_id: jobId },
      speaker: tenant.installationId,
      doing: `read job ${jobId} of ${tenant.repository}`,
      isWrite: false,
      expects: 200,
    });
  }

  async queuedJobs(installationId: string, { max, busy, after }: QueuedLook): Promise<FoundQueued> {
    const all = await this.#repositoriesOf(installationId);
    const first = all.length > max ? await busy() : [];
    const { head, next } = repositoriesRoundRobin({ all, first, after, max });
    const jobs: QueuedJob[] = [];
    let last = after;
    for (const repository of [...head, ...next]) {
      if (this.#github.quota.isHalfSpent(installationId)) break;
      jobs.push(...(await this.#queuedIfThere({ installationId, repository })));
      if (next.includes(repository)) last = repository;
    }
    return { jobs, after: last };
  }

  async runners(tenant: Tenant): Promise<readonly RunnerAtGitHub[]> {
    return inOrganisationOrRepository(tenant, (scope) => this.#runnersIn(scope, tenant));
  }

  async runnerNamed(tenant: Tenant, name: string): Promise<RunnerAtGitHub | undefined> {
    const found = await inOrganisationOrRepository(tenant, (scope) =>
      this.#runnersIn({ ...scope, parameters: { ...scope.parameters, name } }, tenant),
    );
    return found.find((runner) => runner.name === name);
  }

  async runnersOf(installationId: string): Promise<readonly RunnerOfInstallation[]> {
    const repositories = await this.#repositoriesOf(installationId);
    const [repository] = repositories;
    if (repository === undefined) {
      const message = `installation ${installationId} has access to no repository`;
      throw new FleetError('gone', { reason: 'NoRepository', message });
    }
    const tenant = { installationId, repository };
    try {
      const found = await this.#runnersSurelyIn(organisationOf(tenant), tenant);
      return found.map((runner) => ({ ...runner, repository }));
    } catch (error) {
      if (!isFleetError(error, 'gone')) throw error;
    }
    const all: RunnerOfInstallation[] = [];
    for (const one of repositories) {
      const of = { installationId, repository: one };
      for (const runner of await this.#runnersSurelyIn(repositoryOf(of), of))
        all.push({ ...runner, repository: one });
    }
    return all;
  }

  async removeRunner(tenant: Tenant, { id, place }: Pick<RunnerAtGitHub, 'id' | 'place'>): Promise<void> {
    const { path, parameters } = place === 'organisation' ? organisationOf(tenant) : repositoryOf(tenant);
    const removing = this.#github.ask({
      route: `DELETE ${path}/actions/runners/{runner_id}`,
      parameters: { ...parameters, runner_id: id },
      speaker: tenant.installationId,
      doing: `remove runner ${id} of ${tenant.repository}`,
      isWrite: true,
      expects: 204,
    });
    await removing.catch((error: unknown) => {
      // The request names only a runner, so 422 can only mean that the runner is busy.
      if (!isFleetError(error, 'rejected') || error.reason !== 'InvalidRequest') throw error;
      throw new FleetError('notYet', { reason: 'RunnerBusy', message: error.message });
    });
  }

  installation(installationId: string): Promise<InstallationAtGitHub> {
    return this.#github.read(installationBody, {
      route: 'GET /app/installations/{installation_id}',
      parameters: { installation_id: installationId },
      speaker: theApp,
      doing: `read installation ${installationId}`,
      isWrite: false,
      expects: 200,
    });
  }

  /**
   * Not filtered by outcome: with the filter, a delivery with a
   * successful second attempt would still be listed as failed.
   */
  async deliveries({ since, pagesMax }: DeliveriesLook): Promise<FoundDeliveries> {
    const doing = 'list the deliveries of the App';
    const listing = { route: 'GET /app/hook/deliveries', parameters: {}, speaker: theApp, doing };
    const deliveries: HookDelivery[] = [];
    let pages = 0;
    for await (const { page, next } of this.#github.pages(deliveriesPage, listing)) {
      deliveries.push(...page);
      pages += 1;
      if (next === undefined || page.some(({ deliveredAt }) => deliveredAt < since)) break;
      if (pages >= pagesMax) return { deliveries, endedBy: 'pages' };
      if (this.#github.quota.isHalfSpent(theApp)) return { deliveries, endedBy: 'requests' };
    }
    return { deliveries, endedBy: undefined };
  }

  async redeliver(deliveryId: string): Promise<void> {
    await this.#github.ask({
      route: 'POST /app/hook/deliveries/{delivery_id}/attempts',
      parameters: { delivery_id: deliveryId },
      speaker: theApp,
      doing: `redeliver ${deliveryId}`,
      isWrite: true,
      expects: 202,
    });
  }

  async #repositoriesOf(installationId: string): Promise<readonly string[]> {
    const listing = {
      route: 'GET /installation/repositories',
      parameters: {},
      speaker: installationId,
      doing: `list the repositories of installation ${installationId}`,
    };
    return this.#github.listSurely(repositoriesPage, listing, (name) => name);
  }

  async #runnersIn(scope: Scope, tenant: Tenant): Promise<readonly RunnerAtGitHub[]> {
    const found = await this.#github.list(runnersPage, runnersListing(scope, tenant));
    return found.map((runner) => ({ ...runner, place: scope.place }));
  }

  async #runnersSurelyIn(scope: Scope, tenant: Tenant): Promise<readonly RunnerAtGitHub[]> {
    const found = await this.#github.listSurely(runnersPage, runnersListing(scope, tenant), ({ id }) => id);
    return found.map((runner) => ({ ...runner, place: scope.place }));
  }

  /** Empty if the repository was deleted since the listing. */
  async #queuedIfThere(tenant: Tenant): Promise<readonly QueuedJob[]> {
    try {
      return await this.#queuedIn(tenant);
    } catch (error) {
      if (!isFleetError(error, 'gone')) throw error;
      return [];
    }
  }

  async #queuedIn(tenant: Tenant): Promise<readonly QueuedJob[]> {
    const { installationId: speaker, repository } = tenant;
    const common = { speaker, doing: `list the queued jobs of ${repository}` };
    const names = ownerAndRepo(tenant);
    const runs = new Set<string>();
    for (const status of openRunStatuses) {
      const route = 'GET /repos/{owner}/{repo}/actions/runs';
      const found = await this.#github.list(runsPage, { ...common, route, parameters: { ...names, status } });
      for (const run of found) runs.add(run);
    }
    const queued: QueuedJob[] = [];
    for (const run of runs) {
      if (this.#github.quota.isHalfSpent(speaker)) break;
      const route = 'GET /repos/{owner}/{repo}/actions/runs/{run_id}/jobs';
      const parameters = { ...names, run_id: run, filter: 'latest' };
      const jobs = await this.#github.list(jobsPage, { ...common, route, parameters });
      for (const { status, ...job } of jobs) if (status === 'queued') queued.push({ ...job, repository });
    }
    return queued;
  }
}

function runnersListing({ path, parameters }: Scope, { installationId, repository }: Tenant): Listing {
  const route = `GET ${path}/actions/runners`;
  return { route, parameters, speaker: installationId, doing: `list the runners of ${repository}` };
}

/**
 * Falls back to the repository. A personal account has no organisation runners, and neither has an installation that
 * covers only some repositories.
 */
async function inOrganisationOrRepository<T>(tenant: Tenant, call: (scope: Scope) => Promise<T>): Promise<T> {
  try {
    return await call(organisationOf(tenant));
  } catch (error) {
    if (!isFleetError(error, 'gone')) throw error;
  }
  return call(repositoryOf(tenant));
}

function organisationOf(tenant: Tenant): Scope {
  return { place: 'organisation', path: '/orgs/{org}', parameters: { org: ownerAndRepo(tenant).owner } };
}

function repositoryOf(tenant: Tenant): Scope {
  return { place: 'repository', path: '/repos/{owner}/{repo}', parameters: ownerAndRepo(tenant) };
}

function ownerAndRepo({ repository }: Tenant): { readonly owner: string; readonly repo: string } {
  const [owner = '', repo = '', ...rest] = repository.split('/');
  if (owner === '' || repo === '' || rest.length > 0)
    throw new FleetError('rejected', {
      reason: 'InvalidRequest',
      message: 'a repository name must have the form owner/name',
    });
  return { owner, repo };
}
