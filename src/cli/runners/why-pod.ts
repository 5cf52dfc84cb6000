/** Why a runner Pod is as it is: what is said of it in the cluster, and who speaks for it in the database. */
import { annotations } from '../../api/annotations.ts';
import { labels } from '../../api/labels.ts';
import type { Claim, RecoveryAct, Session } from '../../dispatch/store/rows.ts';
import type { Pod } from '../../runtime/kube/builtin-resources.ts';
import { ageText } from '../fleet/ages.ts';
import type { Fact, Told } from '../fleet/told.ts';
import { actText } from './why-job.ts';

export interface PodScene {
  readonly now: number;
  readonly name: string;
  /** Undefined where there is none of that name. */
  readonly pod: Pod | undefined;
  readonly claim: Claim | undefined;
  readonly session: Session | undefined;
  readonly acts: readonly RecoveryAct[];
}

export function whyPod(scene: PodScene): Told {
  const { name, pod, claim, session, acts, now } = scene;
  const facts: readonly Fact[] = [
    ['in the cluster', clusterText(pod, now)],
    ['pool', poolOf(scene)],
    ['marked for', stampText(pod)],
    ['claim', claimText(claim, now)],
    ['session', sessionText(session, now)],
    ['because', becauseOf(scene)],
    ['what changes it', changeOf(scene)],
    ...acts.map((act): Fact => ['repaired', actText(act, now)]),
  ];
  const json = { name, uid: pod?.metadata.uid, labels: pod?.metadata.labels, claim, session, acts };
  return { title: `pod ${name}`, facts, json };
}

function poolOf({ pod, claim, session }: PodScene): string {
  return pod?.metadata.labels?.[labels.runnerPool.key] ?? claim?.pool ?? session?.pool ?? '-';
}

function claimText(claim: Claim | undefined, now: number): string {
  return claim === undefined
    ? 'none'
    : `job ${claim.jobId}, ${claim.state}, since ${ageText(now - claim.claimedAt)}`;
}

function sessionText(session: Session | undefined, now: number): string {
  return session === undefined
    ? 'none is open'
    : `runner ${session.runnerName}, since ${ageText(now - session.startedAt)}`;
}

function clusterText(pod: Pod | undefined, now: number): string {
  if (pod === undefined) return 'there is no such Pod';
  const { creationTimestamp = '', deletionTimestamp } = pod.metadata;
  const node = pod.spec?.nodeName ?? 'no Node yet';
  const leaving = deletionTimestamp === undefined ? '' : ', being deleted';
  return `${pod.status?.phase ?? 'Pending'} on ${node}, ${ageText(now - Date.parse(creationTimestamp))} old${leaving}`;
}

function stampText(pod: Pod | undefined): string {
  const owner = pod?.metadata.labels?.[labels.runnerPoolOwner.key];
  const at = pod?.metadata.annotations?.[annotations.stampedAt.key];
  return owner === undefined ? 'nobody' : `${owner}${at === undefined ? '' : ` at ${at}`}`;
}

function isStamped(pod: Pod | undefined): boolean {
  return pod?.metadata.labels?.[labels.runnerPoolOwner.key] !== undefined;
}

function becauseOf({ pod, claim, session }: PodScene): string {
  if (pod === undefined)
    return claim === undefined && session === undefined
      ? 'nobody speaks for it'
      : 'it is gone, and rows still name it';
  if (session !== undefined) return 'it was handed a registration, and its end was not told yet';
  if (claim !== undefined) return 'it is reserved for a job, and a runner is being registered';
  return isStamped(pod)
    ? 'it is marked as busy, and neither a claim nor a session speaks for it'
    : 'it waits for a job';
}

function changeOf({ pod, claim, session }: PodScene): string {
  if (pod === undefined)
    return claim === undefined && session === undefined
      ? 'nothing'
      : 'the recovery, which frees what is of a Pod that it missed at two looks';
  if (session !== undefined) return 'the end of its runner';
  if (claim !== undefined) return 'the registration, or its next poll';
  return isStamped(pod)
    ? 'its next poll, which takes the mark off; else the recovery removes it after its grace'
    : 'a job for its pool, a smaller pool, another image, or the drain of its Node';
}
