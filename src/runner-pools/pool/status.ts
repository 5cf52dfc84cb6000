/** The status of a pool, written only when it has changed. */
import { isDeleting } from '../../kube/client/kube-object.ts';
import { unknownZone } from '../state/pool-windows.ts';
import type { RunnerPoolObject } from '../state/runner-pool-objects.ts';
import { timeText } from '../../platform/time-text.ts';
import type { Condition } from '../../kube/reconciler/conditions.ts';
import { creationsIn, admissionBlock } from './scale-up.ts';
import type { Observed } from './observed.ts';
import { isAlive, isIdle } from '../pods/runner-pods.ts';

type Said = Pick<Condition, 'type' | 'status' | 'reason' | 'message'>;

/** Returns undefined if the stored status is up to date. */
export function statusPatch(observed: Observed): object | undefined {
  const { pool, pods, now } = observed;
  const { status = {}, spec } = pool;
  const conditions = saidOf(observed).map((said) => conditionOf(said, pool, now));
  const observedReplicas = pods.filter(isAlive).length;
  const hasRolled = status.observedImage !== spec.image;
  const isSame =
    !hasRolled &&
    status.observedReplicas === observedReplicas &&
    conditions.every((condition) => isWritten(condition, pool));
  if (isSame) return undefined;
  return {
    observedReplicas,
    lastReconcile: timeText(now),
    ...(hasRolled && { observedImage: spec.image, imageRolledAt: timeText(now) }),
    conditions,
  };
}

function saidOf(observed: Observed): readonly Said[] {
  const stalled = stalledOf(observed);
  return [stalled, readyOf(observed, stalled)];
}

function stalledOf(observed: Observed): Said {
  const block = admissionBlock(observed);
  const zone = unknownZone(observed.pool.spec.autoscaling, observed.clock);
  const type = 'Stalled';
  if (block !== undefined) return { type, status: 'True', reason: block.reason, message: block.detail };
  if (zone !== undefined)
    return { type, status: 'True', reason: 'WindowRefused', message: `the time zone ${zone} does not exist` };
  return { type, status: 'False', reason: 'Progressing', message: '' };
}

function readyOf(observed: Observed, stalled: Said): Said {
  const { pool, pods } = observed;
  const alive = pods.filter(isAlive);
  const no = { type: 'Ready', status: 'False' } as const;
  if (isDeleting(pool)) {
    const busy = alive.filter((pod) => !isIdle(pod)).length;
    return { ...no, reason: 'Draining', message: `${busy} Pods run a job` };
  }
  const { replicas } = pool.spec;
  const message = `${alive.length} of ${replicas} Pods exist`;
  const { hindered } = creationsIn(observed);
  // Takes precedence over a stall: a refused window does not prevent Pods.
  if (hindered !== undefined && hindered.reason !== 'Progressing')
    return { ...no, reason: hindered.reason, message: `${message}; ${hindered.detail}` };
  if (stalled.status === 'True') return { ...no, reason: stalled.reason, message: stalled.message };
  if (alive.length < replicas) return { ...no, reason: 'ReplicasMissing', message };
  return { type: 'Ready', status: 'True', reason: 'ReplicasMet', message };
}

function conditionOf(said: Said, { metadata, status }: RunnerPoolObject, now: number): Condition {
  const before = status?.conditions?.find(({ type }) => type === said.type);
  const since = before?.status === said.status ? before.lastTransitionTime : undefined;
  return {
    ...said,
    observedGeneration: metadata.generation ?? 0,
    lastTransitionTime: since ?? timeText(now),
  };
}

function isWritten(condition: Condition, { status }: RunnerPoolObject): boolean {
  const before = status?.conditions?.find(({ type }) => type === condition.type);
  return (
    before?.status === condition.status &&
    before.reason === condition.reason &&
    before.message === condition.message &&
    before.observedGeneration === condition.observedGeneration
  );
}
