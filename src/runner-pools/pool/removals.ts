/** Chooses the Pods to remove, with reasons. A Pod that may run a job is never chosen. */
import { isDraining, isKata, type NodeFacts, type RunnerPoolObject } from '../state/runner-pool-objects.ts';
import type { Pod } from '../../kube/client/builtin-resources.ts';
import type { Observed, Retirement } from './observed.ts';
import type { RetireReason } from '../pods/ports.ts';
import {
  createdAt,
  hasEnded,
  isAlive,
  isGoing,
  isIdle,
  isOperatorDrained,
  isPolling,
  isStale,
  isWarm,
  scheduledSince,
} from '../pods/runner-pods.ts';
import { rollOf, type Roll } from './rollout.ts';

export interface Retirements {
  readonly chosen: readonly Retirement[];
  readonly roll: Roll;
}

export function retirementsIn(observed: Observed): Retirements {
  const { pods, pool } = observed;
  const ended = pods.filter((pod) => hasEnded(pod) && !isGoing(pod)).map(because('ended'));
  const alive = pods.filter(isAlive);
  const failing = alive.flatMap((pod) => {
    const why = whyNow(pod, observed);
    return why === undefined ? [] : [because(why)(pod)];
  });
  const staying = without(alive, failing);
  const roll = rollOf(staying, pool);
  const rolled = roll.retired.map(because('old-template'));
  const surplus = surplusOf(without(staying, rolled), pool).map(because('surplus'));
  return { chosen: [...ended, ...failing, ...rolled, ...surplus], roll };
}

/** The Pods to remove of a pool that is being deleted. */
export function drainOf({ pods }: Observed): readonly Retirement[] {
  const ended = pods.filter((pod) => hasEnded(pod) && !isGoing(pod)).map(because('ended'));
  const idle = pods.filter((pod) => isAlive(pod) && isIdle(pod)).map(because('pool-deleted'));
  return [...ended, ...idle];
}

/** Why an idle Pod is removed regardless of the needs of the pool. */
export function whyNow(pod: Pod, observed: Observed): RetireReason | undefined {
  if (!isAlive(pod) || !isIdle(pod)) return undefined;
  return isOnDrainingNode(pod, observed.fleet.nodes ?? []) ? 'node-drain' : whyLate(pod, observed);
}

/** A Pod that does not start, or that no Node accepts, would count as a replica forever. */
function whyLate(pod: Pod, { pool, now }: Observed): RetireReason | undefined {
  const limit = startLimitMs(pool);
  if (limit === undefined || isPolling(pod)) return undefined;
  const isBound = (pod.spec?.nodeName ?? '') !== '';
  const since = scheduledSince(pod, isBound ? 'True' : 'False');
  if (since === undefined || now - since < limit) return undefined;
  return isBound ? 'start-timeout' : 'unschedulable';
}

/** When the next starting Pod exceeds its limit; undefined without starting Pods. */
export function nextTimeout({ pods, pool }: Observed): number | undefined {
  const limit = startLimitMs(pool);
  if (limit === undefined) return undefined;
  const since = pods
    .filter((pod) => isAlive(pod) && isIdle(pod) && !isPolling(pod))
    .flatMap((pod) => scheduledSince(pod, 'True') ?? scheduledSince(pod, 'False') ?? []);
  return since.length === 0 ? undefined : Math.min(...since) + limit;
}

/** Only virtual machines on Linux are known to hang at their start. 0 means no limit. */
function startLimitMs(pool: RunnerPoolObject): number | undefined {
  const { startTimeoutSeconds } = pool.spec.provisioning;
  return isKata(pool) && startTimeoutSeconds > 0 ? startTimeoutSeconds * 1000 : undefined;
}

function isOnDrainingNode({ spec }: Pod, nodes: readonly NodeFacts[]): boolean {
  const name = spec?.nodeName ?? '';
  return name !== '' && nodes.some((node) => node.metadata.name === name && isDraining(node));
}

/** Surplus idle Pods, in this order: drained by an operator, stale, not warm, newest. */
function surplusOf(alive: readonly Pod[], pool: RunnerPoolObject): readonly Pod[] {
  const over = Math.max(0, alive.length - pool.spec.replicas);
  const worth = (pod: Pod): number =>
    [isOperatorDrained(pod), isStale(pod, pool), !isWarm(pod, pool), true].indexOf(true);
  return alive
    .filter(isIdle)
    .toSorted((one, other) => worth(one) - worth(other) || createdAt(other) - createdAt(one))
    .slice(0, over);
}

function because(why: RetireReason): (pod: Pod) => Retirement {
  return (pod) => ({ kind: 'retire', pod, why });
}

function without(pods: readonly Pod[], retired: readonly Retirement[]): readonly Pod[] {
  const gone = new Set(retired.map(({ pod }) => pod.metadata.uid));
  return pods.filter(({ metadata }) => !gone.has(metadata.uid));
}
