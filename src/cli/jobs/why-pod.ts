/** Why a runner Pod is as it is: what is said of it in the cluster, and who speaks for it in the database. */
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
  /** Undefined where there is none of that name. */
  readonly pod: Pod | undefined;
  readonly claim: Claim | undefined;
  /** The last one, also when it is over. */
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
  if (pod === undefined) return 'there is no such Pod';
  const { creationTimestamp = '', deletionTimestamp } = pod.metadata;
  const node = pod.spec?.nodeName ?? 'no Node yet';
  const leaving = deletionTimestamp === undefined ? '' : ', being deleted';
  return `${pod.status?.phase ?? 'Pending'} on ${node}, ${ageText(now - Date.parse(creationTimestamp))} old${leaving}`;
}

function stampText(pod: Pod | undefined): string {
  const owner = ownerOf(pod);
  const at = pod?.metadata.annotations?.[annotations.stampedAt.key];
  return owner === undefined ? 'nobody' : `${owner}${at === undefined ? '' : ` at ${at}`}`;
}

/** One of the two labels is enough for the manager to take it for busy. */
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
    return { because: 'it is being deleted', changes: 'the end of its programs, or of its grace' };
  if (pod.status?.phase === 'Succeeded' || pod.status?.phase === 'Failed')
    return { because: 'it has ended', changes: 'the manager, which reports its end and removes it' };
  return reasonOfLiving(context, pod);
}

function reasonOfGone({ claim, session }: PodFacts): Reason {
  if (claim !== undefined || isOpen(session))
    return {
      because: 'it is gone, and rows still name it',
      changes: 'the recovery, which frees what is of a Pod that it missed at two looks',
    };
  return session === undefined
    ? { because: 'nobody speaks for it', changes: 'nothing' }
    : {
        because: `it is gone: a Pod serves one job, and muster why job/${session.executedJobId ?? session.jobId} tells of that`,
        changes: 'nothing',
      };
}

function reasonOfLiving({ claim, session }: PodFacts, pod: Pod): Reason {
  if (isOpen(session))
    return {
      because: 'it was handed a registration, and its end was not told yet',
      changes: 'the end of its runner',
    };
  if (claim !== undefined) return isServed(pod) ? beingServed : reserved;
  if (isServed(pod)) return served;
  if (isStamped(pod)) return stamped;
  return ownerOf(pod) === undefined ? waiting : halfStamped;
}

const removal = 'if it hangs, the recovery removes it after its grace, unless its runner is at work';

const reserved: Reason = {
  because: 'it is reserved for a job, and a runner is being registered',
  changes: 'the registration, or its next poll',
};

const beingServed: Reason = {
  because: 'it is being handed a registration',
  changes: 'its session, which says that it has it; else the recovery, which gives the claim back',
};

/** A Pod serves once: neither the mark nor the label comes off again. */
const served: Reason = {
  because: 'it was served before and is handed nothing more, and neither a claim nor a session speaks for it',
  changes: `its end: it ends by itself, and is told to when it asks again (AlreadyServed); ${removal}`,
};

/** The mark comes off at a poll only while its claim is known. */
const stamped: Reason = {
  because: 'it is marked as busy, and neither a claim nor a session speaks for it',
  changes: `its next poll, at which it is told to end (UnknownStamp); ${removal}`,
};

const halfStamped: Reason = {
  because: 'it has the label of an account and not that of an owner, so that it counts as busy',
  changes: 'a job that it gets when it asks; else the recovery, which removes it after its grace',
};

const waiting: Reason = {
  because: 'it waits for a job',
  changes: 'a job for its pool, a smaller pool, another image, or the drain of its Node',
};

/** It was handed a registration, or was about to be. */
function isServed({ metadata }: Pod): boolean {
  return metadata.annotations?.[annotations.servedFor.key] !== undefined;
}

function isOpen(session: Session | undefined): boolean {
  return session !== undefined && session.endedAt === undefined;
}
