/**
 * Jobs that have waited for long: perhaps GitHub has long forgotten them, or somebody else did them, and the webhook that
 * says so was lost. GitHub is asked about each; one that nobody took for a day is given up, as GitHub does. One that waits for
 * an approval is asked about too, after all others, and is never given up for its age: people take days.
 *
 * What is given up never waits again, whatever GitHub says later. So one that GitHub does not know is asked about again in the
 * next turn, and is over only if that is so at two looks.
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
  /** How long GitHub must not have known a job. */
  readonly confirmGoneMs: number;
  /** No more questions in one turn. */
  readonly max: number;
}

export const staleQueuedLimits: StaleQueuedLimits = {
  askAfterMs: 3_600_000,
  giveUpAfterMs: 86_400_000,
  confirmGoneMs: 60_000,
  max: 50,
};

/** What GitHub answered; `failed` where it did not. */
export type Reported = JobAtGitHub | 'unknown' | 'failed';

export type QueuedVerdict =
  | { readonly act: 'apply'; readonly kind: RecoveryKind; readonly effect: Effect }
  | { readonly act: 'give-up'; readonly kind: RecoveryKind; readonly conclusion: 'gone' | 'stale' }
  | { readonly act: 'suspect-gone' }
  | { readonly act: 'leave' };

const gone: QueuedVerdict = { act: 'give-up', kind: 'queued_completed', conclusion: 'gone' };

export function decideQueued(
  job: Job,
  reported: Reported,
  { at, giveUpAfterMs }: { readonly at: number; readonly giveUpAfterMs: number },
): QueuedVerdict {
  const backstop: QueuedVerdict =
    job.state === 'queued' && job.queuedAt < at - giveUpAfterMs
      ? { act: 'give-up', kind: 'queued_reaped', conclusion: 'stale' }
      : { act: 'leave' };
  if (reported === 'failed') return backstop;
  if (reported === 'unknown') return backstop.act === 'leave' ? { act: 'suspect-gone' } : backstop;
  if (reported.status === 'completed')
    return { act: 'apply', kind: 'queued_completed', effect: completionOf(job, reported) };
  if (reported.status !== 'in_progress') return backstop;
  const { runnerName, startedAt } = reported;
  if (runnerName === undefined) return { act: 'leave' };
  const effect = { kind: 'start', job, runnerName, at: startedAt ?? job.queuedAt } as const;
  return { act: 'apply', kind: 'queued_started', effect };
}

/** How many rows are read for the few that are asked about: those asked lately are passed over. */
const readMax = 10_000;
const askAgainMs = 1_800_000;

export class StaleQueuedJobs implements Worker {
  readonly name = 'stale-queued-jobs';
  readonly everyMs = 300_000;
  readonly #ports: RecoveryPorts;
  readonly #limits: StaleQueuedLimits;
  readonly #asked = new KeyedBackoff(askAgainMs);
  /** Those that GitHub did not know when they were last asked about here. */
  #suspects: ReadonlySet<string> = new Set();

  constructor(ports: RecoveryPorts, limits: StaleQueuedLimits = staleQueuedLimits) {
    this.#ports = ports;
    this.#limits = limits;
  }

  async run({ at }: Tick): Promise<void> {
    const { store, say } = this.#ports;
    const { askAfterMs, max } = this.#limits;
    const queuedBefore = at - askAfterMs;
    // Apart, so that many that wait for approvals do not fill the room of those that wait for runners.
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
        (job, error) => say('a job that has waited for long could not be looked at', { job: job.id, error }),
      );
    } finally {
      await this.#giveUpUnknown(unknown, at);
    }
  }

  /** Suspects first: what is not found wrong at this look as well begins anew. */
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
