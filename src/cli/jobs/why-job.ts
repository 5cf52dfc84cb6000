/**
 * Explains the state of a job: the deciding rule, and what would change the state. Pure: decides on the facts that it
 * gets.
 */
import { headroom } from '../../dispatch/store/choose-jobs.ts';
import type { Signals, Usage } from '../../dispatch/store/port.ts';
import { registrationFailureKind } from '../../dispatch/assign/registration-failure.ts';
import type { Account, Claim, Job, AuditEntry } from '../../dispatch/store/rows.ts';
import { ageText, stampOf } from '../hosts/ages.ts';
import type { Fact, Explanation } from '../hosts/explanation.ts';
import { withoutSecrets } from '../../platform/process/secret-words.ts';

export interface JobFacts {
  readonly now: number;
  readonly job: Job;
  readonly account: Account | undefined;
  readonly claim: Claim | undefined;
  /** The Pod that runs or ran the job, or is reserved for it. */
  readonly pod: string | undefined;
  readonly usage: Usage | undefined;
  readonly signals: Signals;
  /** The number of jobs of the pool that have waited longer. */
  readonly before: number;
  readonly acts: readonly AuditEntry[];
}

/** The deciding rule, and what would change the state. */
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
    because: 'GitHub holds the job until it is approved',
    changes: 'the approval, at GitHub',
  }),
  queued: queuedReason,
  claimed: ({ pod }) => ({
    because: `Pod ${pod ?? 'unknown'} is reserved for it, and a runner is being registered`,
    changes:
      'the registration; after a crash of its replica, the next poll of the Pod or the recovery requeues the job',
  }),
  running: ({ job, pod }) =>
    job.executor === undefined
      ? {
          because: `a registration was handed to Pod ${pod ?? 'unknown'}; GitHub has not reported a runner for the job`,
          changes: 'the report of GitHub; otherwise the recovery asks GitHub after some minutes',
        }
      : {
          because: `GitHub says that runner ${job.executor} executes it`,
          changes: 'the end of the job, which GitHub reports',
        },
  completed: ({ job }) => ({
    because: `GitHub reported the job as ${job.conclusion ?? 'completed'}`,
    changes: 'nothing; a re-run is another job',
  }),
};

function reasonOf(context: JobFacts): Reason {
  return reasons[context.job.state](context);
}

/** The usage of an account without a limit row: zero. */
const noUsage: Usage = {
  accountId: '',
  platform: 'linux',
  vcpus: 0,
  memoryGb: 0,
  usedVcpus: 0,
  usedMemoryGb: 0,
};

/** The longest cooldown of a job after a failed registration. */
const refusalCountsMs = 300_000;

function isRefusal({ kind }: AuditEntry): boolean {
  return kind === registrationFailureKind;
}

function refusedReason({ acts, now }: JobFacts): Reason | undefined {
  const act = acts.find((one) => isRefusal(one) && now - one.at < refusalCountsMs);
  return (
    act && {
      because: `failed to register a runner for the job ${ageText(now - act.at)} ago: ${String(act.evidence['said'])}`,
      changes: 'the answer of GitHub; the registration is retried within five minutes',
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
  const ahead = before === 0 ? 'no job waits before it' : `${before} jobs have waited longer`;
  return {
    because: `no Pod of ${job.pool} has polled for the job yet; ${ahead}, and ${signals.occupied} Pods of the pool are in use`,
    changes: `a free Pod of ${job.pool} (muster why pool/${job.pool})`,
  };
}

/** The runner that GitHub names: one of our runners, or a runner that someone registered at GitHub by hand. */
function runnerFacts({ job: { executor }, pod }: JobFacts): readonly Fact[] {
  if (executor === undefined) return [];
  const where = pod === undefined ? 'in no known Pod' : `in Pod ${pod} (muster why pod/${pod})`;
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

/** Earlier versions stored the log tail without redaction. */
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
