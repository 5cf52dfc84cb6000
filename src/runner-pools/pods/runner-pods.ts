/** The state of a runner Pod, derived from the Pod alone. */
import { annotations } from '../../api/names/annotations.ts';
import { labels } from '../../api/names/labels.ts';
import { isLinux, type RunnerPoolObject } from '../state/runner-pool-objects.ts';
import type { Pod } from '../../kube/client/builtin-resources.ts';
import type { KubeObject } from '../../kube/client/kube-object.ts';

/** The container that the job runs in. */
export const runnerContainer = 'runner';
/** On Linux, the init container that polls for a job; it ends when it has a job. */
export const pollerContainer = 'poller';

/** Reasons on a Mac that mean that the virtual machine ended by itself. */
const machineEnds = new Set(['TartRunExited', 'TartRunFailed']);

export function hasEnded({ status }: Pod): boolean {
  return status?.phase === 'Succeeded' || status?.phase === 'Failed';
}

/** The Pod is being deleted. */
export function isGoing({ metadata }: Pod): boolean {
  return metadata.deletionTimestamp !== undefined;
}

export function isEnding(pod: Pod): boolean {
  return isGoing(pod) || hasEnded(pod);
}

export function isAlive(pod: Pod): boolean {
  return !isEnding(pod);
}

/** Dispatch has stamped the Pod. */
export function isClaimed({ metadata }: Pod): boolean {
  const marks = [labels.runnerPoolOwner.key, labels.runnerAccount.key];
  return marks.some((key) => (metadata.labels?.[key] ?? '') !== '');
}

/**
 * A missing stamp proves nothing: it is written after the claim,
 * and the write may have been lost. A terminated poller has a job.
 */
export function isIdle(pod: Pod): boolean {
  return !isClaimed(pod) && pollerOf(pod)?.terminated === undefined;
}

export function isPolling(pod: Pod): boolean {
  return pollerOf(pod)?.running !== undefined;
}

export function isWarm(pod: Pod, pool: RunnerPoolObject): boolean {
  return isLinux(pool) ? isPolling(pod) : pod.status?.phase === 'Running';
}

/** On Linux, before its first poll. */
export function isProvisioning(pod: Pod): boolean {
  return isAlive(pod) && isIdle(pod) && !isPolling(pod);
}

export function isStaleImage({ spec }: Pod, pool: RunnerPoolObject): boolean {
  const [first] = spec?.containers ?? [];
  return first !== undefined && first.image !== pool.spec.image;
}

/** The Pod has an older revision of its runtime class, and with it another cost. */
export function isStaleRevision(pod: Pod, pool: RunnerPoolObject): boolean {
  const wanted = revisionOf(pool);
  if (!isLinux(pool) || (pool.spec.runtimeClass ?? '') === '' || wanted === '') return false;
  return revisionOf(pod) !== wanted;
}

export function isStale(pod: Pod, pool: RunnerPoolObject): boolean {
  return isStaleImage(pod, pool) || isStaleRevision(pod, pool);
}

export function isDrainEligible({ metadata }: Pod): boolean {
  return metadata.labels?.[labels.drainEligible.key] === 'true';
}

export function isOperatorDrained({ metadata }: Pod): boolean {
  return metadata.labels?.[labels.runnerOperatorDrain.key] === 'true';
}

/** Created for this pool, and not for an earlier pool of the same name. */
export function isOwnedBy(object: KubeObject, pool: RunnerPoolObject): boolean {
  return poolUidOf(object) === pool.metadata.uid;
}

/** The uid of the pool that the object was created for. Older versions set an owner reference instead of a label. */
export function poolUidOf({ metadata }: KubeObject): string | undefined {
  const owner = metadata.ownerReferences?.find(({ controller }) => controller === true);
  return metadata.labels?.[labels.runnerPoolUid.key] ?? owner?.uid;
}

export interface RunnerEnd {
  readonly exitCode: number;
  readonly reason?: string;
}

/** How the runner container ended; undefined if it has not ended, or its end was not observed. */
export function runnerEnd({ status }: Pod): RunnerEnd | undefined {
  const runner = status?.containerStatuses?.find(({ name }) => name === runnerContainer);
  const end = runner?.state?.terminated;
  if (end === undefined) return undefined;
  return { exitCode: end.exitCode, ...(end.reason !== undefined && { reason: end.reason }) };
}

/** An end whose log is worth storing. */
export function isAbnormalEnd(pod: Pod): boolean {
  const end = runnerEnd(pod);
  if (end !== undefined) return end.exitCode !== 0 || machineEnds.has(end.reason ?? '');
  return pod.status?.phase === 'Failed' || isGoing(pod);
}

/** When the Pod ended, from its container statuses or its deletion. */
export function endedAt(pod: Pod, now: number): number {
  const { containerStatuses = [], initContainerStatuses = [] } = pod.status ?? {};
  const ends = [...containerStatuses, ...initContainerStatuses]
    .map(({ state }) => Date.parse(state?.terminated?.finishedAt ?? ''))
    .filter((at) => !Number.isNaN(at));
  if (ends.length > 0) return Math.max(...ends);
  const deletion = Date.parse(pod.metadata.deletionTimestamp ?? '');
  return Number.isNaN(deletion) ? now : Math.min(deletion, now);
}

/** Since when the Pod is scheduled, or unschedulable. Undefined for neither. */
export function scheduledSince(pod: Pod, said: 'True' | 'False'): number | undefined {
  const condition = pod.status?.conditions?.find(({ type }) => type === 'PodScheduled');
  if (condition?.status !== said) return undefined;
  if (said === 'False' && condition.reason !== 'Unschedulable') return undefined;
  const at = Date.parse(condition.lastTransitionTime ?? '');
  return Number.isNaN(at) ? undefined : at;
}

export function createdAt({ metadata }: KubeObject): number {
  const at = Date.parse(metadata.creationTimestamp ?? '');
  return Number.isNaN(at) ? 0 : at;
}

function pollerOf({ status }: Pod) {
  return status?.initContainerStatuses?.find(({ name }) => name === pollerContainer)?.state;
}

function revisionOf({ metadata }: KubeObject): string {
  return metadata.annotations?.[annotations.runtimeClassRevision.key] ?? '';
}
