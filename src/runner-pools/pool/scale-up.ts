/** Decides how many Pods to create now, and why not more. */
import { isLinux, kataClass } from '../state/runner-pool-objects.ts';
import type { Reason } from '../../api/conditions/reasons.ts';
import { admissionFor, type BlockReason } from './admission.ts';
import type { Observed } from './observed.ts';
import { isAlive } from '../pods/runner-pods.ts';

export interface BlockingReason {
  readonly reason: Reason;
  /** Contains no changing number: the text is in the status, which would be written at each pass. */
  readonly detail: string;
  readonly requeueAt: number;
}

export interface Creations {
  readonly count: number;
  /** Undefined if no Pod is missing, or all missing Pods are created. */
  readonly hindered?: BlockingReason;
  /** Why the fleet accepts no more Pods now. */
  readonly blocked?: BlockReason;
}

/** Creations per pass. */
const creationsMax = 50;
const blockedMs = 5000;
/** This many early ends within this time count as a crash loop. */
export const earlyWindowMs = 5 * 60_000;
const earlyEndsMax = 5;
const slowMs = 30_000;
const steadyMs = 60_000;

type Blocked = Pick<BlockingReason, 'reason' | 'detail'>;

const blocks: Readonly<Record<BlockReason, Blocked>> = {
  no_healthy_node: { reason: 'NoHealthyNode', detail: 'no Node of the fleet accepts a new Pod' },
  fleet_cap: { reason: 'FleetCap', detail: 'the maximum number of Pods of the fleet is starting' },
  fleet_view_error: { reason: 'FleetViewError', detail: 'the Nodes of the fleet are not known yet' },
};
const many: Blocked = { reason: 'Progressing', detail: `at most ${creationsMax} Pods are created at once` };

export function creationsIn(observed: Observed): Creations {
  const { pool, pods, unseen, now } = observed;
  const missing = pool.spec.replicas - pods.filter(isAlive).length - unseen.length;
  if (missing <= 0) return { count: 0 };
  const block = admissionBlock(observed);
  if (block !== undefined) return { count: 0, hindered: { ...block, requeueAt: now + steadyMs } };
  const pause = pauseIn(observed);
  if (pause !== undefined) return { count: pause.count, hindered: pause };
  return admitted(missing, observed);
}

/** Docker needs a privileged container, which only a virtual machine isolates from its Node. */
export function admissionBlock({ pool, hasDocker }: Observed) {
  const { runtimeClass = '' } = pool.spec;
  if (!isLinux(pool) || !hasDocker || runtimeClass === kataClass) return undefined;
  const is = runtimeClass === '' ? 'the pool has none' : `the pool has ${runtimeClass}`;
  return {
    reason: 'RuntimeClassRefused',
    detail: `jobs have their own docker, so the runtime class must be ${kataClass}, but ${is}`,
  } as const;
}

/** Limits the rate for a crash loop, so that a broken image does not use up a Pod each second. */
function pauseIn({ earlyEnds, lastMadeAt = 0, now }: Observed) {
  const recent = earlyEnds.filter((at) => now - at < earlyWindowMs);
  if (recent.length < earlyEndsMax) return undefined;
  const isDue = now - lastMadeAt >= slowMs;
  return {
    count: isDue ? 1 : 0,
    reason: 'RunnerPodsEndEarly',
    detail: `Pods end within a minute of their start and without a job, so one Pod is created every ${slowMs / 1000} s`,
    requeueAt: (isDue ? now : lastMadeAt) + slowMs,
  } as const;
}

function admitted(missing: number, { pool, fleet, now }: Observed): Creations {
  const admission = admissionFor(pool, fleet);
  const count = Math.min(missing, creationsMax, admission.available);
  if (count === missing) return { count };
  const blocked = 'blocked' in admission ? admission.blocked : undefined;
  const isCapped = blocked !== undefined || count < creationsMax;
  return {
    count,
    ...(blocked !== undefined && { blocked }),
    hindered: { ...(isCapped ? blocks[blocked ?? 'fleet_cap'] : many), requeueAt: now + blockedMs },
  };
}
