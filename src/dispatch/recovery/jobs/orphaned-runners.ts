/**
 * Jobs that were handed to a Pod and of which nothing more was heard: the answer was lost, the runner never came, the Pod is
 * gone, or the webhook that says who does the job or that it is over did not arrive. GitHub is asked about each; see
 * `reconcile-job.ts` for what follows.
 *
 * | asked about, as     | when                                                                             |
 * | ------------------- | -------------------------------------------------------------------------------- |
 * | `pod_stopped`       | at once: its Pod is gone, and nobody was named as at work on it                  |
 * | `aged_out`          | five minutes after it was handed out, when nobody was named by then              |
 * | `unattended`        | half a minute after the Pod of its runner ended                                  |
 * | `unattended`        | five minutes after it began, by a runner that has no Pod here                    |
 * | `at_work`           | an hour after it began, by a runner whose Pod is there, and then every hour      |
 *
 * The last are jobs that are well, but for a few: a Pod may hang after its job, and if the webhook that told of the end was
 * lost as well, nothing else would ever say that claim, session and Pod are held for nothing.
 *
 * Jobs are read before the Pods are listed: a Pod that one was handed to, or whose runner does one, was there before that was
 * written down, so one that is missing in a later list is gone. A list that failed or is empty says nothing, and then only age counts.
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
  /** Those of runners that were named as at work, open or not. */
  readonly runnerSessions: readonly Session[];
  /** Undefined where they could not be listed. */
  readonly pods: readonly SeenPod[] | undefined;
}

export interface OrphanLimits {
  /** How long a runner may take to be given a job. */
  readonly olderThanMs: number;
  /** How long a job may be at work on one of our Pods before GitHub is asked about it, and between two questions. */
  readonly atWorkMs: number;
  /** For so long after its Pod ended the webhook of its end is waited for; `ended-pods` looks before that. */
  readonly endedMs: number;
  /** How long GitHub must not have known a job. */
  readonly confirmGoneMs: number;
  /** No more questions in one turn. */
  readonly max: number;
}

export const orphanLimits: OrphanLimits = {
  olderThanMs: 300_000,
  atWorkMs: 3_600_000,
  endedMs: 30_000,
  confirmGoneMs: 60_000,
  max: 50,
};

/** About which jobs GitHub must be asked, and why. */
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
  // Nothing speaks for a Pod: it was reported stopped.
  // mutation: claims-of-stopped-pods
  if (holder === undefined || isMissing(holder.pod.uid, pods)) return { ...found, reason: 'pod_stopped' };
  const isOld = (job.claimedAt ?? at) < at - olderThanMs;
  return isOld ? { ...found, reason: 'aged_out' } : undefined;
}

/** Somebody is at work on it, by the word of GitHub: asked about soon where that is none of our Pods, and seldom where it is. */
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
/** One that GitHub says is at work, or waits for a runner that is on the line, is not asked about every minute. */
const askAgainMs = 300_000;
/** One about which GitHub does not answer is asked about later and later. */
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
          if (verdict.act === 'leave') this.#askedOf(one).note(one.job.id, at);
          if (verdict.act === 'suspect-gone') unknown.push(one);
        },
        ({ job }, error) => {
          this.#failed.note(job.id, at);
          say('GitHub could not be asked about a job', { job: job.id, error });
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
   * Those that are probably well come after those that are not. Those that failed come last: jobs of one tenant that refuses
   * us keep no other.
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

  /** While an installation is suspended GitHub tells nobody of its jobs; they are asked about when it is back, or gone. */
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
      say('the Pods could not be listed; only age counts', { error });
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
