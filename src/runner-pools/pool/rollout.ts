/** Which Pods of an old template go next. Only so many of a pool may be on their way at once. */
import type { RunnerPoolObject } from '../state/runner-pool-objects.ts';
import type { Pod } from '../../kube/client/builtin-resources.ts';
import { isDrainEligible, isIdle, isStale, isStaleImage, isWarm } from '../pods/runner-pods.ts';

export interface Roll {
  readonly stale: readonly Pod[];
  readonly cap: number;
  /** How many are on their way: chosen and not gone yet, gone and not replaced yet, or new and not ready yet. */
  readonly rolling: number;
  /** Deleted now. */
  readonly retired: readonly Pod[];
  /** Told to end when they ask next. */
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
