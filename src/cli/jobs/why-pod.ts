/** Explains the state of a runner Pod: its labels in the cluster, and its claim and session in the database. */
import { annotations } from '../../api/names/annotations.ts';
import { labels } from '../../api/names/labels.ts';
import type { Claim, AuditEntry, Session } from '../../dispatch/store/rows.ts';
import type { Pod } from '../../kube/client/builtin-resources.ts';
import { ageText } from '../hosts/ages.ts';
import type { Fact, Explanation } from '../hosts/explanation.ts';
import { actText } from './why-job.ts';

export interface PodFacts {
  readonly now: number;
  readonly name: string;
  /** Undefined where no Pod has that name. */
  readonly pod: Pod | undefined;
  readonly claim: Claim | undefined;
  /** The last session, also when it is closed. */
  readonly session: Session | undefined;
  readonly acts: readonly AuditEntry[];
}

interface Reason {
  readonly because: string;
  readonly changes: string;
}

export function whyPod(context: PodFacts): Explanation {
  const { name, pod, claim, session, acts, now } = context;
  const reason = reasonOf(context);
  const facts: readonly Fact[] = [
    ['in the cluster', clusterText(pod, now)],
    ['pool', poolOf(context)],
    ['marked for', stampText(pod)],
    ['claim', claimText(claim, now)],
    ['session', sessionText(session, now)],
    ['because', reason.because],
    ['what changes it', reason.changes],
    ...acts.map((act): Fact => ['repaired', actText(act, now)]),
  ];
  const { uid, labels: own } = pod?.metadata ?? {};
  return {
    title: `pod ${name}`,
    facts,
    json: { name, uid, labels: own, claim, session, acts, ...reason },
  };
}

function poolOf({ pod, claim, session }: PodFacts): string {
  return pod?.metadata.labels?.[labels.runnerPool.key] ?? claim?.pool ?? session?.pool ?? '-';
}

function claimText(claim: Claim | undefined, now: number): string {
  return claim === undefined
    ? 'none'
    : `job ${claim.jobId}, ${claim.state}, since ${ageText(now - claim.claimedAt)}`;
}

function sessionText(session: Session | undefined, now: number): string {
  if (session === undefined) return 'none';
  const { runnerName, startedAt, endedAt, jobId, executedJobId } = session;
  const what = `runner ${runnerName} for job ${executedJobId ?? jobId}`;
  return endedAt === undefined
    ? `${what}, since ${ageText(now - startedAt)}`
    : `${what}, ended ${ageText(now - endedAt)} ago`;
}

function clusterText(pod: Pod | undefined, now: number): string {
  if (pod === undefined) return 'the Pod does not exist';
  const { creationTimestamp = '', deletionTimestamp } = pod.metadata;
  const node = pod.spec?.nodeName ?? 'no Node yet';
  const leaving = deletionTimestamp === undefined ? '' : ', being deleted';
  return `${pod.status?.phase ?? 'Pending'} on ${node}, ${ageText(now - Date.parse(creationTimestamp))} old${leaving}`;
}

function stampText(pod: Pod | undefined): string {
  const owner = ownerOf(pod);
  const at = pod?.metadata.annotations?.[annotations.stampedAt.key];
  return owner === undefined ? 'none' : `${owner}${at === undefined ? '' : ` at ${at}`}`;
}

/** One of the two labels is enough for the manager to count the Pod as busy. */
function ownerOf(pod: Pod | undefined): string | undefined {
  const { [labels.runnerPoolOwner.key]: owner, [labels.runnerAccount.key]: account } =
    pod?.metadata.labels ?? {};
  return owner ?? (account && `the account ${account}`);
}

function isStamped(pod: Pod): boolean {
  return pod.metadata.labels?.[labels.runnerPoolOwner.key] !== undefined;
}

function reasonOf(context: PodFacts): Reason {
  const { pod } = context;
  if (pod === undefined) return reasonOfGone(context);
  if (pod.metadata.deletionTimestamp !== undefined)
    return {
      because: 'the Pod is being deleted',
      changes: 'the end of its containers, or of its grace period',
    };
  if (pod.status?.phase === 'Succeeded' || pod.status?.phase === 'Failed')
    return {
      because: 'the Pod has ended',
      changes: 'the manager, which reports the end and removes the Pod',
    };
  return reasonOfLiving(context, pod);
}

function reasonOfGone({ claim, session }: PodFacts): Reason {
  if (claim !== undefined || isOpen(session))
    return {
      because: 'the Pod is gone, and rows still name it',
      changes: 'the recovery, which closes the rows of a Pod that two checks did not find',
    };
  return session === undefined
    ? { because: 'no claim and no session names the Pod', changes: 'nothing' }
    : {
        because: `the Pod is gone after its one job; see: muster why job/${session.executedJobId ?? session.jobId}`,
        changes: 'nothing',
      };
}

function reasonOfLiving({ claim, session }: PodFacts, pod: Pod): Reason {
  if (isOpen(session))
    return {
      because: 'the Pod was handed a registration, and its end is not reported yet',
      changes: 'the end of its runner',
    };
  if (claim !== undefined) return isServed(pod) ? beingServed : reserved;
  if (isServed(pod)) return served;
  if (isStamped(pod)) return stamped;
  return ownerOf(pod) === undefined ? waiting : halfStamped;
}

const removal = 'if the Pod hangs, the recovery removes it after its grace period, unless its runner is busy';

const reserved: Reason = {
  because: 'the Pod is reserved for a job, and a runner is being registered',
  changes: 'the registration, or its next poll',
};

const beingServed: Reason = {
  because: 'the Pod is being handed a registration',
  changes: 'its session, which records the hand-out; otherwise the recovery, which requeues the job',
};

/** A Pod serves once: neither the annotation nor the label is removed again. */
const served: Reason = {
  because: 'the Pod was served before and gets no more jobs, and neither a claim nor a session names it',
  changes: `its end: the Pod ends by itself, or at its next poll (AlreadyServed); ${removal}`,
};

/** A poll removes the stamp only while the claim is known. */
const stamped: Reason = {
  because: 'the Pod is stamped as busy, and neither a claim nor a session names it',
  changes: `its next poll, which drains the Pod (UnknownStamp); ${removal}`,
};

const halfStamped: Reason = {
  because: 'the Pod has the account label without the owner label, and so counts as busy',
  changes: 'a job at its next poll; otherwise the recovery, which removes the Pod after its grace period',
};

const waiting: Reason = {
  because: 'the Pod waits for a job',
  changes: 'a job for its pool, a smaller pool, another image, or the drain of its Node',
};

/** The Pod was handed a registration, or was about to be. */
function isServed({ metadata }: Pod): boolean {
  return metadata.annotations?.[annotations.servedFor.key] !== undefined;
}

function isOpen(session: Session | undefined): boolean {
  return session !== undefined && session.endedAt === undefined;
}
