/**
 * Reconciles jobs that have waited for long: GitHub may have dropped them, or another runner
 * did them, and the webhook about that was lost. GitHub is queried for each job. A job that
 * no runner took for a day is given up, as GitHub does. A job that waits for an approval is
 * queried too, after all others, and is never given up for its age: approvals may take days.
 *
 * A given-up job never waits again, whatever GitHub says later. So a job that GitHub does not know is queried again in
 * the next run, and is given up only if two looks find it unknown.
 */
import type { JobAtGitHub } from '../../github/port.ts';
import type { Effect } from '../../store/port.ts';
import type { Evidence, Job } from '../../store/rows.ts';
import { KeyedBackoff } from '../scheduler/keyed-backoff.ts';
import { askGitHub, completionOf, sinceOf } from './reconcile-job.ts';
import { oneByOne } from '../scheduler/for-each-isolated.ts';
import {
  draftOf,
  type RecoveryKind,
  type RecoveryPorts,
  type Tick,
  type Worker,
} from '../scheduler/worker.ts';

export interface StaleQueuedLimits {
  readonly askAfterMs: number;
  readonly giveUpAfterMs: number;
  /** How long GitHub must have answered 404 for a job. */
  readonly confirmGoneMs: number;
  /** Queries per run. */
  readonly max: number;
}

export const staleQueuedLimits: StaleQueuedLimits = {
  askAfterMs: 3_600_000,
  giveUpAfterMs: 86_400_000,
  confirmGoneMs: 60_000,
  max: 50,
};

/** The answer of GitHub; `failed` if the query failed. */
export type Reported = JobAtGitHub | 'unknown' | 'failed';

export type QueuedVerdict =
  | { readonly act: 'apply'; readonly kind: RecoveryKind; readonly effect: Effect }
  | { readonly act: 'give-up'; readonly kind: RecoveryKind; readonly conclusion: 'gone' | 'stale' }
  | { readonly act: 'suspect-gone' }
  | { readonly act: 'none' };

const gone: QueuedVerdict = { act: 'give-up', kind: 'queued_completed', conclusion: 'gone' };

export function decideQueued(
  job: Job,
  reported: Reported,
  { at, giveUpAfterMs }: { readonly at: number; readonly giveUpAfterMs: number },
): QueuedVerdict {
  const backstop: QueuedVerdict =
    job.state === 'queued' && job.queuedAt < at - giveUpAfterMs
      ? { act: 'give-up', kind: 'queued_reaped', conclusion: 'stale' }
      : { act: 'none' };
  if (reported === 'failed') return backstop;
  if (reported === 'unknown') return backstop.act === 'none' ? { act: 'suspect-gone' } : backstop;
  if (reported.status === 'completed')
    return { act: 'apply', kind: 'queued_completed', effect: completionOf(job, reported) };
  if (reported.status !== 'in_progress') return backstop;
  const { runnerName, startedAt } = reported;
  if (runnerName === undefined) return { act: 'none' };
  const effect = { kind: 'start', job, runnerName, at: startedAt ?? job.queuedAt } as const;
  return { act: 'apply', kind: 'queued_started', effect };
}

/** Rows read per state; many, since jobs queried lately are skipped. */
const readMax = 10_000;
const askAgainMs = 1_800_000;

export class StaleQueuedJobs implements Worker {
  readonly name = 'stale-queued-jobs';
  readonly everyMs = 300_000;
  readonly #ports: RecoveryPorts;
  readonly #limits: StaleQueuedLimits;
  readonly #asked = new KeyedBackoff(askAgainMs);
  /** Jobs that GitHub did not know at the last query of this replica. */
  #suspects: ReadonlySet<string> = new Set();

  constructor(ports: RecoveryPorts, limits: StaleQueuedLimits = staleQueuedLimits) {
    this.#ports = ports;
    this.#limits = limits;
  }

  async run({ at }: Tick): Promise<void> {
    const { store, say } = this.#ports;
    const { askAfterMs, max } = this.#limits;
    const queuedBefore = at - askAfterMs;
    // Read separately, so that many jobs that wait for approvals do not crowd out jobs that wait for runners.
    const due = async (state: Job['state']) =>
      this.#roundRobin(await store.jobs({ states: [state], queuedBefore, limit: readMax }), at);
    const asked = [...(await due('queued')), ...(await due('waiting'))].slice(0, max);
    if (asked.length === 0) return;
    const unknown: Job[] = [];
    try {
      await oneByOne(
        asked,
        async (job) => {
          if ((await this.#look(job, at)).act === 'suspect-gone') unknown.push(job);
        },
        (job, error) => say('failed to reconcile long-queued job', { job: job.id, error }),
      );
    } finally {
      await this.#giveUpUnknown(unknown, at);
    }
  }

  /** Suspects first: a suspicion that a run does not confirm starts over. */
  #roundRobin(jobs: readonly Job[], at: number): readonly Job[] {
    const isSuspect = ({ id }: Job): boolean => this.#suspects.has(id);
    const due = jobs.filter((job) => !isSuspect(job) && this.#asked.isDue(job.id, at));
    return [...jobs.filter(isSuspect), ...this.#asked.roundRobin(due, ({ id }) => id)];
  }

  async #look(job: Job, at: number): Promise<QueuedVerdict> {
    const { say } = this.#ports;
    this.#asked.note(job.id, at);
    let reported: Reported;
    try {
      reported = (await askGitHub(this.#ports, job)) ?? 'unknown';
    } catch (error) {
      say('GitHub could not be asked about a job', { job: job.id, error });
      reported = 'failed';
    }
    const verdict = decideQueued(job, reported, { at, giveUpAfterMs: this.#limits.giveUpAfterMs });
    const said =
      typeof reported === 'string'
        ? { github: reported }
        : { github: reported.status, ...sinceOf(reported, at) };
    await this.#act(job, verdict, { at, said });
    return verdict;
  }

  async #giveUpUnknown(unknown: readonly Job[], at: number): Promise<void> {
    const subjects = unknown.map(({ id }) => id);
    this.#suspects = new Set(subjects);
    const since = await this.#ports.store.suspect(this.name, subjects, at);
    const { confirmGoneMs } = this.#limits;
    for (const job of unknown)
      if (at - (since.get(job.id) ?? at) >= confirmGoneMs)
        await this.#act(job, gone, { at, said: { github: 'unknown' } });
  }

  async #act(
    job: Job,
    verdict: QueuedVerdict,
    { at, said }: { readonly at: number; readonly said: Evidence },
  ): Promise<void> {
    if (verdict.act !== 'apply' && verdict.act !== 'give-up') return;
    const { store, recovered } = this.#ports;
    const about = { jobId: job.id, evidence: { ...said, queuedForMs: at - job.queuedAt } };
    const act = draftOf(this.#ports, verdict.kind, about);
    const from = job.state === 'waiting' ? 'waiting' : 'queued';
    const answer =
      verdict.act === 'apply'
        ? await store.apply(verdict.effect, act)
        : await store.giveUp({ jobId: job.id, from, conclusion: verdict.conclusion, at }, act);
    if (answer === 'changed' || answer === 'given-up') recovered(verdict.kind, about);
  }
}
