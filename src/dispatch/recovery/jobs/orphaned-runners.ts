/**
 * Reconciles jobs that were handed to a Pod and of which no further webhook came: the answer to the poll was lost, the
 * runner never started, the Pod is gone, or the webhook about the start or the end was lost. GitHub is queried for each
 * job; see `reconcile-job.ts` for what follows.
 *
 * | reason              | when                                                                             |
 * | ------------------- | -------------------------------------------------------------------------------- |
 * | `pod_stopped`       | at once: the Pod is gone, and GitHub has named no runner for the job             |
 * | `aged_out`          | five minutes after the hand-out, if GitHub has named no runner by then           |
 * | `unattended`        | half a minute after the Pod of the job's runner ended                            |
 * | `unattended`        | five minutes after the start, if the runner has no Pod here                      |
 * | `at_work`           | an hour after the start, if the Pod of the runner exists, and then every hour    |
 *
 * Most `at_work` jobs are healthy. But a Pod may hang after its job, and if the webhook about the end was lost as well,
 * only this check shows that claim, session and Pod are held for nothing.
 *
 * Jobs are read before the Pods are listed. A Pod exists before the hand-out or the start of its job is written, so a
 * Pod missing in the later list is gone. A failed or empty list proves nothing; then only age counts.
 */
import type { Claim, Job, Session } from '../../store/rows.ts';
import { KeyedBackoff } from '../scheduler/keyed-backoff.ts';
import { reconcileJob, type JobLook } from './reconcile-job.ts';
import { oneByOne } from '../scheduler/for-each-isolated.ts';
import type { SeenPod } from '../pods/runner-pods.ts';
import { draftOf, type RecoveryPorts, type Tick, type Worker } from '../scheduler/worker.ts';

export interface OrphanLook {
  readonly at: number;
  readonly jobs: readonly Job[];
  readonly claims: readonly Claim[];
  readonly sessions: readonly Session[];
  /** Sessions, open or closed, of the runners that GitHub named as executors. */
  readonly runnerSessions: readonly Session[];
  /** Undefined if the list failed. */
  readonly pods: readonly SeenPod[] | undefined;
}

export interface OrphanLimits {
  /** How long GitHub may take to give the runner a job. */
  readonly olderThanMs: number;
  /** How long a job may run on one of our Pods before GitHub is queried, and between two queries. */
  readonly atWorkMs: number;
  /** How long to wait for the `completed` webhook after the Pod ended; `ended-pods` looks earlier. */
  readonly endedMs: number;
  /** How long GitHub must have answered 404 for a job. */
  readonly confirmGoneMs: number;
  /** Queries per run. */
  readonly max: number;
}

export const orphanLimits: OrphanLimits = {
  olderThanMs: 300_000,
  atWorkMs: 3_600_000,
  endedMs: 30_000,
  confirmGoneMs: 60_000,
  max: 50,
};

/** Returns the jobs to query GitHub for, and why. */
export function decideOrphans(look: OrphanLook, limits: OrphanLimits): readonly JobLook[] {
  return look.jobs
    .filter(({ state }) => state === 'running')
    .map((job) => (job.executor === undefined ? handedOut(job, look, limits) : begun(job, look, limits)))
    .filter((found) => found !== undefined);
}

function handedOut(
  job: Job,
  { at, claims, sessions, pods }: OrphanLook,
  { olderThanMs }: OrphanLimits,
): JobLook | undefined {
  const isOfJob = ({ generation }: Claim | Session): boolean => generation === job.generation;
  const claim = claims.find(isOfJob);
  const holder = claim ?? sessions.find(isOfJob);
  const found = { job, claim, runnerName: holder?.runnerName };
  // Neither claim nor open session: the Pod was reported as stopped.
  // mutation: claims-of-stopped-pods
  if (holder === undefined || isMissing(holder.pod.uid, pods)) return { ...found, reason: 'pod_stopped' };
  const isOld = (job.claimedAt ?? at) < at - olderThanMs;
  return isOld ? { ...found, reason: 'aged_out' } : undefined;
}

/** GitHub has named the runner of the job: query soon if that runner has no Pod here, rarely if it has one. */
function begun(
  job: Job,
  { at, claims, sessions, runnerSessions, pods }: OrphanLook,
  { olderThanMs, atWorkMs, endedMs }: OrphanLimits,
): JobLook | undefined {
  const claim = claims.find(({ runnerName }) => runnerName === job.executor);
  const isOfRunner = ({ runnerName, accountId }: Session): boolean =>
    runnerName === job.executor && accountId === job.accountId;
  const session = sessions.find(isOfRunner);
  const endedAt = session === undefined ? runnerSessions.find(isOfRunner)?.endedAt : undefined;
  const hasPod = session !== undefined && !isMissing(session.pod.uid, pods);
  const isDue =
    endedAt === undefined
      ? (job.startedAt ?? at) < at - (hasPod ? atWorkMs : olderThanMs)
      : at - endedAt >= endedMs;
  if (!isDue) return undefined;
  return { job, claim, runnerName: job.executor, reason: hasPod ? 'at_work' : 'unattended' };
}

function isMissing(uid: string, pods: readonly SeenPod[] | undefined): boolean {
  return pods !== undefined && pods.length > 0 && !pods.some((pod) => pod.uid === uid);
}

const jobsMax = 10_000;
/** For a job that is in progress at GitHub, or queued with its runner online. */
const askAgainMs = 300_000;
/** Backoff for a job whose query failed. */
const failedAgainMs = 60_000;
const failedAgainMostMs = 900_000;

export class OrphanedRunners implements Worker {
  readonly name = 'orphaned-runners';
  readonly everyMs = 60_000;
  readonly #ports: RecoveryPorts;
  readonly #limits: OrphanLimits;
  readonly #left = new KeyedBackoff(askAgainMs);
  readonly #atWork: KeyedBackoff;
  readonly #failed = new KeyedBackoff(failedAgainMs, failedAgainMostMs);

  constructor(ports: RecoveryPorts, limits: OrphanLimits = orphanLimits) {
    this.#ports = ports;
    this.#limits = limits;
    this.#atWork = new KeyedBackoff(limits.atWorkMs);
  }

  async run({ at }: Tick): Promise<void> {
    const { say } = this.#ports;
    const look = await this.#look(at);
    const found = decideOrphans(look, this.#limits);
    const due = this.#roundRobin(await this.#askable(found), at);
    const unknown: JobLook[] = [];
    try {
      await oneByOne(
        due.slice(0, this.#limits.max),
        async (one) => {
          const verdict = await reconcileJob(this.#ports, one);
          this.#failed.forget(one.job.id);
          if (verdict.act === 'none') this.#askedOf(one).note(one.job.id, at);
          if (verdict.act === 'suspect-gone') unknown.push(one);
        },
        ({ job }, error) => {
          this.#failed.note(job.id, at);
          say('failed to read job from GitHub', { job: job.id, error });
        },
      );
    } finally {
      await this.#giveUpUnknown(unknown, at);
    }
  }

  #askedOf({ reason }: JobLook): KeyedBackoff {
    return reason === 'at_work' ? this.#atWork : this.#left;
  }

  /**
   * Probably healthy jobs come after the others. Jobs whose query failed come last: the jobs of one tenant that refuses
   * requests must not delay the rest.
   */
  #roundRobin(looks: readonly JobLook[], at: number): readonly JobLook[] {
    const idOf = ({ job }: JobLook): string => job.id;
    const due = looks.filter(
      (look) => this.#askedOf(look).isDue(idOf(look), at) && this.#failed.isDue(idOf(look), at),
    );
    const isAtWork = ({ reason }: JobLook): boolean => reason === 'at_work';
    const wrong = due.filter((look) => !isAtWork(look));
    const well = due.filter(isAtWork);
    const all = [...this.#left.roundRobin(wrong, idOf), ...this.#atWork.roundRobin(well, idOf)];
    return this.#failed.roundRobin(all, idOf);
  }

  /**
   * While an installation is suspended, GitHub answers no requests about its jobs. They are queried when the
   * installation is active again or removed.
   */
  async #askable(looks: readonly JobLook[]): Promise<readonly JobLook[]> {
    if (looks.length === 0) return looks;
    const installations = await this.#ports.store.installations();
    const suspended = new Set(installations.filter(({ state }) => state === 'suspended').map(({ id }) => id));
    return looks.filter(({ job }) => !suspended.has(job.installationId));
  }

  async #look(at: number): Promise<OrphanLook> {
    const { store } = this.#ports;
    const jobs = await store.jobs({ states: ['running'], limit: jobsMax });
    if (jobs.length === 0) return { at, jobs, claims: [], sessions: [], runnerSessions: [], pods: undefined };
    const claims = await store.claims();
    const sessions = await store.openSessions();
    const open = new Set(sessions.map(({ runnerName }) => runnerName));
    const runners = jobs.flatMap(({ accountId, executor: runnerName }) =>
      runnerName === undefined || open.has(runnerName) ? [] : [{ accountId, runnerName }],
    );
    const runnerSessions = runners.length === 0 ? [] : await store.sessionsOf(runners);
    return { at, jobs, claims, sessions, runnerSessions, pods: await this.#listPods() };
  }

  async #listPods(): Promise<readonly SeenPod[] | undefined> {
    const { pods, say } = this.#ports;
    try {
      return await pods.list('all');
    } catch (error) {
      say('failed to list Pods; deciding by age alone', { error });
      return undefined;
    }
  }

  async #giveUpUnknown(unknown: readonly JobLook[], at: number): Promise<void> {
    const subjects = unknown.map(({ job }) => job.id);
    const since = await this.#ports.store.suspect(this.name, subjects, at);
    for (const look of unknown) {
      const unknownForMs = at - (since.get(look.job.id) ?? at);
      if (unknownForMs >= this.#limits.confirmGoneMs) await this.#giveUp(look, { at, unknownForMs });
    }
  }

  async #giveUp(
    { job, reason, claim }: JobLook,
    { at, unknownForMs }: { readonly at: number; readonly unknownForMs: number },
  ): Promise<void> {
    const { store, recovered } = this.#ports;
    const { id: jobId, generation, executor: runnerName, startedAt } = job;
    const about = {
      jobId,
      generation,
      pod: claim?.pod,
      evidence: { reason, github: 'unknown', unknownForMs },
    };
    const act = draftOf(this.#ports, 'orphan_completed', about);
    const end = { runnerName, startedAt, conclusion: 'gone', at };
    const answer =
      runnerName === undefined
        ? await store.giveUp({ jobId, from: 'running', conclusion: 'gone', at }, act)
        : await store.apply({ kind: 'complete', job, end }, act);
    if (answer === 'given-up' || answer === 'changed') recovered('orphan_completed', about);
  }
}
