/**
 * The port to GitHub. Failures have five kinds. `gone`: GitHub does not know or show the object. `rejected`: GitHub
 * forbids the request. `notYet`: a rate limit, with the retry time. `conflict`: the name is taken. `unavailable`:
 * anything that may succeed later. Ids are strings.
 */
import { isFleetError, type FleetError } from '../../platform/errors/fleet-error.ts';
import type { Secret } from '../../platform/secret.ts';

/** An installation of the App, and the repository that a request is about. */
export interface Tenant {
  readonly installationId: string;
  /** owner/name of the repository of the job. */
  readonly repository: string;
}

export interface RunnerOrder extends Tenant {
  /** At most 64 characters; GitHub reserves it as soon as it answers. */
  readonly name: string;
  readonly labels: readonly string[];
  readonly workFolder: string;
}

/** How long the caller waits for an answer. */
export interface Listener {
  /** An answer after this time is of no use. */
  readonly until: number;
  /** Aborted when the client disconnects. */
  readonly signal?: AbortSignal | undefined;
}

/** The reason of a `notYet` from our own rate limiter: no request was sent, and nothing is wrong with the account. */
export const pacedReason = 'Paced';

/** Whether our rate limiter refused. `retryAt` is when a caller that starts now would get its answer. */
export function isRateLimited(error: unknown): error is FleetError {
  return isFleetError(error, 'notYet') && error.reason === pacedReason;
}

export interface Registration {
  readonly runnerId: string;
  readonly runnerName: string;
  readonly place: RunnerPlace;
  /** Whoever holds this value acts as the runner. */
  readonly jitConfig: Secret;
}

export interface JobAtGitHub {
  readonly id: string;
  readonly status: 'queued' | 'in_progress' | 'completed' | 'waiting' | 'other';
  readonly conclusion: string | undefined;
  readonly runnerName: string | undefined;
  readonly startedAt: number | undefined;
  readonly completedAt: number | undefined;
}

export interface HookDelivery {
  /** Id of this attempt, used to request a redelivery. */
  readonly id: string;
  /** Shared by all attempts. */
  readonly guid: string;
  readonly event: string;
  readonly deliveredAt: number;
  readonly wasAccepted: boolean;
}

export interface DeliveriesLook {
  readonly since: number;
  /** Page limit; a page holds a hundred deliveries. */
  readonly pagesMax: number;
}

export interface FoundDeliveries {
  readonly deliveries: readonly HookDelivery[];
  /** Why the log was not read back to `since`: the page limit, or half of the App's requests are spent. */
  readonly endedBy: 'pages' | 'requests' | undefined;
}

/** A queued job, as a poll of GitHub finds it when its webhook is missing. */
export interface QueuedJob {
  readonly id: string;
  readonly repository: string;
  readonly runId: string;
  readonly runAttempt: number;
  readonly name: string;
  readonly workflow: string;
  readonly branch: string;
  readonly commit: string;
  readonly labels: readonly string[];
  readonly createdAt: number;
}

export interface QueuedLook {
  /** Limit of repositories per poll. */
  readonly max: number;
  /** Repositories that sent jobs lately; queried only if there are too many repositories to read all. */
  readonly busy: () => Promise<readonly string[]>;
  /** Where the last poll ended, from its result. */
  readonly after: string | undefined;
}

export interface FoundQueued {
  readonly jobs: readonly QueuedJob[];
  /** Where the next poll continues. */
  readonly after: string | undefined;
}

/** Where a runner is registered. GitHub does not promise that ids are unique across places. */
export type RunnerPlace = 'organisation' | 'repository';

export interface RunnerAtGitHub {
  readonly id: string;
  /** Where the runner was found. */
  readonly place: RunnerPlace;
  readonly name: string;
  readonly isOnline: boolean;
  readonly isBusy: boolean;
  readonly labels: readonly string[];
}

/** With a repository through which the runner can be removed. */
export interface RunnerOfInstallation extends RunnerAtGitHub {
  readonly repository: string;
}

export interface InstallationAtGitHub {
  readonly id: string;
  readonly account: { readonly id: string; readonly login: string };
  readonly state: 'active' | 'suspended';
}

export interface GitHub {
  /**
   * Registers a runner for one job. Not safe to repeat with the same name: a lost answer has reserved the name.
   * Registrations of an organisation share a rate limit. If the slot would come too late for the listener, no request
   * is sent and the call fails at once, see `isRateLimited`.
   */
  register(order: RunnerOrder, listener?: Listener): Promise<Registration>;
  job(tenant: Tenant, jobId: string): Promise<JobAtGitHub>;
  /**
   * Queued jobs in the repositories that the installation can access. A poll costs
   * several requests per repository, so it reads some of them only. It stops once half
   * of the installation's hourly requests are spent, since registrations need the rest.
   */
  queuedJobs(installationId: string, look: QueuedLook): Promise<FoundQueued>;
  /** Runners of the organisation, or of the repository of a personal account. */
  runners(tenant: Tenant): Promise<readonly RunnerAtGitHub[]>;
  /** The runner of that name in the same place; undefined if none is registered. */
  runnerNamed(tenant: Tenant, name: string): Promise<RunnerAtGitHub | undefined>;
  /**
   * Runners of the organisation, or of all accessible repositories of a personal account; complete or an error. A
   * runner that moves between pages during the listing is included. `gone` if no repository is accessible, since then
   * it is unknown whose runners to list.
   */
  runnersOf(installationId: string): Promise<readonly RunnerOfInstallation[]>;
  /**
   * Removes the runner where it was found and nowhere else. `gone`
   * if the runner does not exist; `notYet` while it is busy.
   */
  removeRunner(tenant: Tenant, runner: Pick<RunnerAtGitHub, 'id' | 'place'>): Promise<void>;
  installation(installationId: string): Promise<InstallationAtGitHub>;
  /**
   * Deliveries of the App, newest first, until one is older than `since`. Stops after the first page or later once half
   * of the App's hourly requests are spent: minting tokens needs the rest, and without tokens no Pod is served.
   */
  deliveries(look: DeliveriesLook): Promise<FoundDeliveries>;
  redeliver(deliveryId: string): Promise<void>;
}
