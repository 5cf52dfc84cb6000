/** Why a pool has the Pods it has, and whether its jobs wait for Pods or Pods for jobs. */
import { isAlive, isIdle } from '../../controllers/pool/pods.ts';
import type { Signals } from '../../dispatch/store/port.ts';
import type { RunnerPoolObject } from '../../fleet/runner-pools.ts';
import type { Pod } from '../../runtime/kube/builtin-resources.ts';
import { ageText } from '../fleet/ages.ts';
import type { Fact, Told } from '../fleet/told.ts';

export interface PoolScene {
  readonly now: number;
  readonly pool: RunnerPoolObject;
  readonly pods: readonly Pod[];
  /** Undefined where no database was given. */
  readonly signals: Signals | undefined;
}

export function whyPool({ now, pool, pods, signals }: PoolScene): Told {
  const { spec, metadata } = pool;
  const alive = pods.filter(isAlive);
  const idle = alive.filter(isIdle);
  const { enabled, minWarmPoolFloor, maxReplicas } = spec.autoscaling;
  const facts: readonly Fact[] = [
    ['Pods', `${alive.length} of ${spec.replicas}: ${idle.length} idle, ${alive.length - idle.length} busy`],
    [
      'replicas are set by',
      enabled
        ? `demand, with ${minWarmPoolFloor} idle on top and ${maxReplicas} at most`
        : 'whoever writes spec.replicas',
    ],
    ['jobs', signals === undefined ? 'not known: give --database-url' : jobsText(signals, now)],
    ['because', signals === undefined ? '-' : verdict(signals, idle.length)],
    ...(pool.status?.conditions ?? []).map(({ type, status, reason, message }): Fact => [
      type,
      `${status}, ${reason}${message === '' ? '' : `: ${message}`}`,
    ]),
  ];
  return {
    title: `pool ${metadata.name}`,
    facts,
    json: {
      name: metadata.name,
      wanted: spec.replicas,
      alive: alive.length,
      idle: idle.length,
      signals,
      conditions: pool.status?.conditions,
    },
  };
}

function jobsText({ queued, withheld, occupied, oldestQueuedAt }: Signals, now: number): string {
  const oldest = oldestQueuedAt === undefined ? '' : `, the oldest for ${ageText(now - oldestQueuedAt)}`;
  return `${queued} wait${oldest}, ${withheld} are held back by the limits of their accounts, ${occupied} Pods are in use`;
}

/** The two ways to be short: of Pods, or of somebody who hands out jobs. */
function verdict({ queued, withheld }: Signals, idle: number): string {
  if (queued > 0 && idle === 0)
    return 'jobs wait for Pods: the pool is full; more replicas or more Nodes help';
  if (queued > 0)
    return 'jobs wait although Pods are idle: dispatch does not hand them out; look at its log and at GitHub';
  return withheld > 0 ? 'jobs wait for the limits of their accounts' : 'nothing waits';
}
