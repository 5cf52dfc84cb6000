/** Chooses the next Pods of an old template to replace, within the concurrency cap of the pool. */
import type { RunnerPoolObject } from '../state/runner-pool-objects.ts';
import type { Pod } from '../../kube/client/builtin-resources.ts';
import { isDrainEligible, isIdle, isStale, isStaleImage, isWarm } from '../pods/runner-pods.ts';

export interface Roll {
  readonly stale: readonly Pod[];
  readonly cap: number;
  /** Pods being replaced: chosen and not gone, gone and not replaced, or new and not ready. */
  readonly rolling: number;
  /** Deleted now. */
  readonly retired: readonly Pod[];
  /** Marked, so that their next poll drains them. */
  readonly marked: readonly Pod[];
}

export function rollCap(replicas: number, percent: number): number {
  return Math.max(1, Math.floor((replicas * percent) / 100));
}

export function rollOf(alive: readonly Pod[], pool: RunnerPoolObject): Roll {
  const { replicas, rollout } = pool.spec;
  const stale = alive.filter((pod) => isStale(pod, pool));
  const cap = rollCap(replicas, rollout.maxConcurrentPercent);
  const chosen = stale.filter(isDrainEligible);
  const unready = alive.filter((pod) => isUnready(pod, pool));
  const missing = Math.max(0, replicas - alive.length);
  const rolling = stale.length === 0 ? 0 : chosen.length + unready.length + missing;
  // mutation: roll-only-idle-pods
  const open = stale.filter((pod) => !isDrainEligible(pod) && isIdle(pod));
  const remaining = Math.max(0, cap - rolling);
  const retired = open.filter(({ status }) => status?.phase === 'Pending').slice(0, remaining);
  const marked = open
    .filter((pod) => pod.status?.phase === 'Running' && isStaleImage(pod, pool))
    .slice(0, remaining - retired.length);
  return { stale, cap, rolling, retired, marked };
}

function isUnready(pod: Pod, pool: RunnerPoolObject): boolean {
  return !isStale(pod, pool) && isIdle(pod) && !isWarm(pod, pool);
}
