/**
 * The port to GitHub, in our words. Failures are of the five kinds: `gone` what GitHub does not know or does not show us,
 * `rejected` what it forbids, `notYet` its rate limit with the time to come back, `conflict` a name that is taken,
 * `unavailable` everything that may be better the next time. Ids are texts.
 */
import { isFleetError, type FleetError } from '../../platform/errors/fleet-error.ts';
import type { Secret } from '../../platform/secret.ts';

/** Whom we speak for: an installation of our App. */
export interface Tenant {
  readonly installationId: string;
  /** owner/name of the repository whose job it is about. */
  readonly repository: string;
}

export interface RunnerOrder extends Tenant {
  /** At most 64 characters; GitHub reserves it as soon as it answers. */
  readonly name: string;
  readonly labels: readonly string[];
  readonly workFolder: string;
}

/** Whoever waits for an answer. */
export interface Listener {
  /** Later than this it is of no use. */
  readonly until: number;
  /** Aborted once nobody waits any more. */
  readonly signal?: AbortSignal | undefined;
}

/** Of a `notYet` that is ours and not GitHub's: it was not asked, and nothing is wrong with whom we would have asked for. */
export const pacedReason = 'Paced';

/** Its `retryAt` is when an answer would come to somebody who asks now, where that is too late. */
export function isRateLimited(error: unknown): error is FleetError {
  return isFleetError(error, 'notYet') && error.reason === pacedReason;
}

export interface Registration {
  readonly runnerId: string;
  readonly runnerName: string;
  readonly place: RunnerPlace;
  /** Whoever has it is this runner. */
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
  /** Of this attempt; what redelivery asks for. */
  readonly id: string;
  /** Shared by all attempts. */
  readonly guid: string;
  readonly event: string;
  readonly deliveredAt: number;
  readonly wasAccepted: boolean;
}

export interface DeliveriesLook {
  readonly since: number;
  /** So many pages at most, of a hundred each. */
  readonly pagesMax: number;
}

export interface FoundDeliveries {
  readonly deliveries: readonly HookDelivery[];
  /** Why older ones were not read that are young enough: so many pages it may be, or half of the requests of the App are spent. */
  readonly endedBy: 'pages' | 'requests' | undefined;
}

/** A job that waits for a runner, as a look at GitHub finds it when its webhook did not come. */
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
  /** So many repositories at most. */
  readonly max: number;
  /** Those that are known to have jobs for us; asked for only where there are too many to look at all. */
  readonly busy: () => Promise<readonly string[]>;
  /** Where the last look ended, as it said. */
  readonly after: string | undefined;
}

export interface FoundQueued {
  readonly jobs: readonly QueuedJob[];
  /** Where the next look goes on. */
  readonly after: string | undefined;
}

/** Where a runner is registered. Nobody says that an id of one place is not given in another too. */
export type RunnerPlace = 'organisation' | 'repository';

export interface RunnerAtGitHub {
  readonly id: string;
  /** Where it was found. */
  readonly place: RunnerPlace;
  readonly name: string;
  readonly isOnline: boolean;
  readonly isBusy: boolean;
  readonly labels: readonly string[];
}

/** With a repository through which it can be removed. */
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
   * Registers a runner for one job. Not safe to repeat with the same name: a lost answer has reserved it. Registrations of an
   * organisation go one after the other; where the turn of this one would be too late for the listener, nothing is
   * registered, and it fails at once as `isRateLimited` says.
   */
  register(order: RunnerOrder, listener?: Listener): Promise<Registration>;
  job(tenant: Tenant, jobId: string): Promise<JobAtGitHub>;
  /**
   * In the repositories that the installation shows us. Costs several requests for each of them, so a look takes some of them
   * only, and breaks off once half of the requests are spent that the installation has in an hour: its registrations need them.
   */
  queuedJobs(installationId: string, look: QueuedLook): Promise<FoundQueued>;
  /** Of the organisation, or of the repository where its owner is none. */
  runners(tenant: Tenant): Promise<readonly RunnerAtGitHub[]>;
  /** The one of that name, in the same place; undefined when none is registered under it. */
  runnerNamed(tenant: Tenant, name: string): Promise<RunnerAtGitHub | undefined>;
  /**
   * Of the organisation, or of all repositories that the installation shows us where their owner is none; all or nothing. Also
   * one that is registered all the while and moves from one page of the list to another is among them.
   * `gone` where it shows us none, so that nobody knows whose runners to list.
   */
  runnersOf(installationId: string): Promise<readonly RunnerOfInstallation[]>;
  /** Where it was found and nowhere else: `gone` when it is not there. Refused with `notYet` while it is at work. */
  removeRunner(tenant: Tenant, runner: Pick<RunnerAtGitHub, 'id' | 'place'>): Promise<void>;
  installation(installationId: string): Promise<InstallationAtGitHub>;
  /**
   * Newest first, of the App, until one is older than `since`. Ends before that once half of the requests are spent that the App
   * has in an hour, but not before the first page: tokens need them too, and without a token nobody is served.
   */
  deliveries(look: DeliveriesLook): Promise<FoundDeliveries>;
  redeliver(deliveryId: string): Promise<void>;
}
