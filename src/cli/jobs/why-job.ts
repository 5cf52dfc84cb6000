/** Why a job stands where it does, which rule decided, and what would change it. Decides from what was read; reads nothing. */
import { headroom } from '../../dispatch/store/choose-jobs.ts';
import type { Signals, Usage } from '../../dispatch/store/port.ts';
import { refusalKind } from '../../dispatch/assign/registration-failure.ts';
import type { Account, Claim, Job, AuditEntry } from '../../dispatch/store/rows.ts';
import { ageText, stampOf } from '../hosts/ages.ts';
import type { Fact, Explanation } from '../hosts/explanation.ts';
import { withoutSecrets } from '../../platform/process/secret-words.ts';

export interface JobFacts {
  readonly now: number;
  readonly job: Job;
  readonly account: Account | undefined;
  readonly claim: Claim | undefined;
  /** The Pod that runs it or has run it, or is reserved for it. */
  readonly pod: string | undefined;
  readonly usage: Usage | undefined;
  readonly signals: Signals;
  /** Jobs of the pool that have waited for longer. */
  readonly before: number;
  readonly acts: readonly AuditEntry[];
}

/** What is so, by which rule, and what would change it. */
interface Reason {
  readonly because: string;
  readonly changes: string;
}

export function whyJob(context: JobFacts): Explanation {
  const { account, acts, now } = context;
  const job = withoutSecretsOfLog(context.job);
  const reason = reasonOf(context);
  const facts: readonly Fact[] = [
    ['state', `${job.state} since ${sinceOf(job, now)}`],
    [
      'of',
      `${account?.login ?? job.accountId}, ${job.repository}, ${job.workflow} / ${job.name}, attempt ${job.runAttempt}`,
    ],
    ['pool', `${job.pool}, chosen by the label ${job.label}`],
    ['takes', `${job.shape.vcpus} cores and ${job.shape.memoryGb} GB on ${job.shape.platform}`],
    ...runnerFacts(context),
    ['because', reason.because],
    ['what changes it', reason.changes],
    ...endingFacts(job),
    ...acts.map((act): Fact => [isRefusal(act) ? 'refused' : 'repaired', actText(act, now)]),
  ];
  return {
    title: `job ${job.id}`,
    facts,
    json: { job, ...reason, claim: context.claim, pod: context.pod, acts },
  };
}

const reasons: Readonly<Record<Job['state'], (context: JobFacts) => Reason>> = {
  waiting: () => ({
    because: 'GitHub holds it until somebody approves it',
    changes: 'the approval, at GitHub',
  }),
  queued: queuedReason,
  claimed: ({ pod }) => ({
    because: `Pod ${pod ?? 'unknown'} is reserved for it, and a runner is being registered`,
    changes:
      'the registration; if whoever makes it dies, the next poll of the Pod or the recovery gives it back',
  }),
  running: ({ job, pod }) =>
    job.executor === undefined
      ? {
          because: `a registration was handed to Pod ${pod ?? 'that is gone'}; GitHub has not said that a runner took it`,
          changes: 'the runner that takes it; else the recovery asks GitHub after some minutes',
        }
      : {
          because: `GitHub says that runner ${job.executor} executes it`,
          changes: 'its end, which GitHub tells',
        },
  completed: ({ job }) => ({
    because: `GitHub has called it ${job.conclusion ?? 'over'}`,
    changes: 'nothing; a repetition is another job',
  }),
};

function reasonOf(context: JobFacts): Reason {
  return reasons[context.job.state](context);
}

/** What an account has and may have where nobody set anything: nothing. */
const noUsage: Usage = {
  accountId: '',
  platform: 'linux',
  vcpus: 0,
  memoryGb: 0,
  usedVcpus: 0,
  usedMemoryGb: 0,
};

/** For as long as it may rest for it. */
const refusalCountsMs = 300_000;

function isRefusal({ kind }: AuditEntry): boolean {
  return kind === refusalKind;
}

function refusedReason({ acts, now }: JobFacts): Reason | undefined {
  const act = acts.find((one) => isRefusal(one) && now - one.at < refusalCountsMs);
  return (
    act && {
      because: `no runner could be registered for it ${ageText(now - act.at)} ago: ${String(act.evidence['said'])}`,
      changes: 'what GitHub says there; it is tried again within five minutes',
    }
  );
}

function queuedReason(context: JobFacts): Reason {
  const { job, usage = noUsage, signals, before, account } = context;
  const { vcpus, memoryGb, usedVcpus, usedMemoryGb } = usage;
  const { platform } = job.shape;
  if (headroom(usage, { vcpus: usedVcpus, memoryGb: usedMemoryGb }, job.shape) < 1)
    return {
      because: `its account is at its limit: ${usedVcpus} of ${vcpus} cores and ${usedMemoryGb} of ${memoryGb} GB are in use on ${platform}`,
      changes: `the end of another job of ${account?.login ?? 'the account'}, or muster accounts limit`,
    };
  const refused = refusedReason(context);
  if (refused !== undefined) return refused;
  const ahead = before === 0 ? 'nothing waits before it' : `${before} jobs have waited for longer`;
  return {
    because: `no Pod of ${job.pool} has asked for it yet; ${ahead}, and ${signals.occupied} Pods of the pool are in use`,
    changes: `a Pod of ${job.pool} that is free (muster why pool/${job.pool})`,
  };
}

/** Who took it, by the word of GitHub: one of ours, or one that was registered by somebody else. */
function runnerFacts({ job: { executor }, pod }: JobFacts): readonly Fact[] {
  if (executor === undefined) return [];
  const where = pod === undefined ? 'in no Pod that is known' : `in Pod ${pod} (muster why pod/${pod})`;
  return [['runner', `${executor}, ${where}`]];
}

function sinceOf(job: Job, now: number): string {
  const at = {
    waiting: job.queuedAt,
    queued: job.queuedAt,
    claimed: job.claimedAt,
    running: job.startedAt ?? job.claimedAt,
    completed: job.completedAt,
  };
  const since = at[job.state] ?? job.queuedAt;
  return `${stampOf(since)} (${ageText(now - since)})`;
}

/** Versions before stored what a job said last as it came. */
function withoutSecretsOfLog(job: Job): Job {
  const { ending } = job;
  if (ending === undefined) return job;
  const { reason, logTail } = ending;
  return {
    ...job,
    ending: { ...ending, reason: withoutSecrets(reason), logTail: withoutSecrets(logTail) },
  };
}

function endingFacts({ ending }: Job): readonly Fact[] {
  if (ending === undefined) return [];
  const code = ending.exitCode === undefined ? '' : ` with ${ending.exitCode}`;
  const tail: readonly Fact[] = ending.logTail === '' ? [] : [['last words', ending.logTail.slice(-2000)]];
  return [['its Pod ended', `${ending.reason}${code}`], ...tail];
}

export function actText({ kind, at, outcome, evidence }: AuditEntry, now: number): string {
  return `${kind} ${ageText(now - at)} ago: ${outcome}; ${JSON.stringify(evidence)}`;
}
