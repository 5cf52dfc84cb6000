/**
 * Polls GitHub for queued jobs, so that a lost `queued` webhook causes only a delay. A poll costs a few requests for
 * each repository. So each installation is polled once per period, by the first replica, and one run polls only some
 * installations; an installation whose rate limit is used up waits for its next period. Of an installation with many
 * repositories, a poll reads some: those that sent jobs lately, and the others in round robin. Each replica remembers
 * where its last poll ended.
 */
import { isFleetError } from '../../../platform/errors/fleet-error.ts';
import type { QueuedJob } from '../../github/port.ts';
import type { Installation } from '../../store/rows.ts';
import type { WorkflowJobPayload } from '../../webhooks/payload.ts';
import { profileRoute, type ProfileRoute, type ProfileSettings } from '../../webhooks/profile-routes.ts';
import { routeJob, type Ignored, type PoolRoute } from '../../webhooks/route.ts';
import type { Effect } from '../../store/port.ts';
import type { LeaseRequest } from '../../store/recovery-port.ts';
import { isDue } from '../../store/job-leases.ts';
import { leaseMs } from '../scheduler/leased-scheduler.ts';
import { draftOf, type RecoveryPorts, type Tick, type Worker } from '../scheduler/worker.ts';

export interface QueuedPollLimits {
  /** Time between two polls of one installation. */
  readonly everyMs: number;
  /** Younger jobs are left to their webhook, which is probably on its way. */
  readonly jobAgeMs: number;
  readonly installationsMax: number;
  /** Repositories per installation and poll. */
  readonly repositoriesMax: number;
  /** A repository that sent a job within this time is read in every poll. */
  readonly busyMs: number;
}

export const queuedPollLimits: QueuedPollLimits = {
  everyMs: 900_000,
  jobAgeMs: 120_000,
  installationsMax: 10,
  repositoriesMax: 100,
  busyMs: 172_800_000,
};

export interface QueuedPollParts {
  /** Undefined until the RunnerPools are listed. */
  readonly pools: () => readonly PoolRoute[] | undefined;
  readonly profiles?: ProfileSettings | undefined;
  /** This replica, as holder of the leases of single installations. */
  readonly holder: string;
  readonly limits?: QueuedPollLimits;
}

export interface FoundJobs {
  readonly at: number;
  readonly installation: Installation;
  readonly pools: readonly PoolRoute[];
  /** The profiles of the account of the installation. */
  readonly profiles?: readonly ProfileRoute[];
  readonly jobs: readonly QueuedJob[];
  readonly jobAgeMs: number;
}

export function decideFound({ jobs, jobAgeMs, ...routes }: FoundJobs): readonly Effect[] {
  const { at, installation } = routes;
  return jobs
    .filter(({ createdAt }) => createdAt < at - jobAgeMs)
    .map((job) => routeJob(payloadOf(job, installation), routes))
    .filter(isEffect);
}

function isEffect(effect: Effect | Ignored): effect is Effect {
  return effect.kind !== 'none';
}

/** The payload of the webhook that was lost. */
function payloadOf(job: QueuedJob, { id }: Installation): WorkflowJobPayload {
  return {
    action: 'queued',
    installation: { id },
    repository: { full_name: job.repository },
    workflow_job: {
      id: job.id,
      run_id: job.runId,
      run_attempt: job.runAttempt,
      name: job.name,
      workflow_name: job.workflow,
      head_branch: job.branch,
      head_sha: job.commit,
      labels: [...job.labels],
      created_at: job.createdAt,
      started_at: undefined,
      completed_at: undefined,
      conclusion: undefined,
      runner_name: undefined,
    },
  };
}

export class QueuedJobsPoll implements Worker {
  readonly name = 'queued-jobs-poll';
  readonly everyMs = 60_000;
  readonly #ports: RecoveryPorts;
  readonly #parts: QueuedPollParts;
  readonly #limits: QueuedPollLimits;
  /** Where the last poll of an installation ended, by installation id. */
  readonly #after = new Map<string, string>();

  constructor(ports: RecoveryPorts, parts: QueuedPollParts) {
    this.#ports = ports;
    this.#parts = parts;
    this.#limits = parts.limits ?? queuedPollLimits;
  }

  async run({ at }: Tick): Promise<void> {
    const { store, say } = this.#ports;
    const pools = this.#parts.pools();
    if (pools === undefined) return say('skipped poll of queued jobs: the pools are not known yet', {});
    const active = (await store.installations()).filter(({ state }) => state === 'active');
    const rounds = await store.leases();
    const begun = new Map(rounds.map(({ worker, startedAt }) => [worker, startedAt]));
    const lookedAt = ({ id }: Installation): number => begun.get(this.#leaseOf(id)) ?? 0;
    // Oldest poll first, so that every installation is reached even if there are too many for one run.
    const due = active
      .filter((installation) => isDue(rounds, this.#request(installation, at)))
      .toSorted((a, b) => lookedAt(a) - lookedAt(b));
    for (const installation of due.slice(0, this.#limits.installationsMax))
      await this.#look({ at, installation, pools });
  }

  #leaseOf(installationId: string): string {
    return `${this.name}/${installationId}`;
  }

  #request({ id }: Installation, at: number): LeaseRequest {
    const { everyMs } = this.#limits;
    return { worker: this.#leaseOf(id), holder: this.#parts.holder, at, everyMs, leaseMs: leaseMs };
  }

  async #look(of: Pick<FoundJobs, 'at' | 'installation' | 'pools'>): Promise<void> {
    const { store, say } = this.#ports;
    const { id } = of.installation;
    const { jobAgeMs } = this.#limits;
    const request = this.#request(of.installation, of.at);
    if ((await store.acquireLease(request)).kind !== 'taken') return;
    const { worker, holder } = request;
    let isGood = false;
    try {
      const jobs = await this.#queuedJobs(id, of.at);
      await this.#apply(decideFound({ ...of, profiles: await this.#profilesOf(of), jobs, jobAgeMs }));
      isGood = true;
    } catch (error) {
      if (!isFleetError(error)) throw error;
      // One tenant that does not answer must not stop the polls of the others.
      say('failed to poll queued jobs of installation', { installation: id, error });
    } finally {
      await store.releaseLease({ worker, holder, isGood });
    }
  }

  async #queuedJobs(installationId: string, at: number): Promise<readonly QueuedJob[]> {
    const { store, github } = this.#ports;
    const { repositoriesMax: max, busyMs } = this.#limits;
    const busy = async (): Promise<readonly string[]> => {
      const sources = await store.jobSources(at - busyMs);
      return sources.filter((one) => one.installationId === installationId).map((one) => one.repository);
    };
    const look = { max, busy, after: this.#after.get(installationId) };
    const { jobs, after } = await github.queuedJobs(installationId, look);
    if (after !== undefined) this.#after.set(installationId, after);
    return jobs;
  }

  async #profilesOf({ installation }: Pick<FoundJobs, 'installation'>): Promise<readonly ProfileRoute[]> {
    const settings = this.#parts.profiles;
    if (settings === undefined) return [];
    const own = await this.#ports.store.profiles(installation.accountId);
    return own.map((profile) => profileRoute(profile, settings));
  }

  async #apply(effects: readonly Effect[]): Promise<void> {
    const { store, recovered, clock } = this.#ports;
    for (const effect of effects) {
      if (effect.kind !== 'enqueue') continue;
      const { id: jobId, pool, queuedAt } = effect.job;
      const about = { jobId, evidence: { pool, queuedForMs: clock.now() - queuedAt } };
      if ((await store.apply(effect, draftOf(this.#ports, 'queued_found', about))) === 'changed')
        recovered('queued_found', about);
    }
  }
}
