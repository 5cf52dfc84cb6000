/** Explains the number of Pods of a pool, and whether jobs wait for Pods or Pods wait for jobs. */
import { isAlive, isIdle, isWarm } from '../../runner-pools/pods/runner-pods.ts';
import type { Signals } from '../../dispatch/store/port.ts';
import type { RunnerPoolObject } from '../../runner-pools/state/runner-pool-objects.ts';
import type { Pod } from '../../kube/client/builtin-resources.ts';
import { ageText } from '../hosts/ages.ts';
import type { Fact, Explanation } from '../hosts/explanation.ts';

export interface PoolFacts {
  readonly now: number;
  readonly pool: RunnerPoolObject;
  readonly pods: readonly Pod[];
  /** A string says why the signals are not known. */
  readonly signals: Signals | string;
}

interface Counts {
  readonly wanted: number;
  readonly alive: number;
  readonly idle: number;
  /** The idle Pods that are up and poll for jobs. */
  readonly asking: number;
}

export function whyPool({ now, pool, pods, signals }: PoolFacts): Explanation {
  const { spec, metadata } = pool;
  const counts = countsOf(pool, pods);
  const because = typeof signals === 'string' ? shortage(pool, counts) : verdict(pool, counts, signals);
  const { enabled, minWarmPoolFloor, maxReplicas } = spec.autoscaling;
  const facts: readonly Fact[] = [
    ['Pods', podsText(counts)],
    [
      'replicas are set by',
      enabled
        ? `demand, with ${minWarmPoolFloor} idle on top and ${maxReplicas} at most`
        : 'the writer of spec.replicas',
    ],
    ['jobs', typeof signals === 'string' ? `not known: ${signals}` : jobsText(signals, now)],
    ['because', because ?? '-'],
    ...(pool.status?.conditions ?? []).map(({ type, status, reason, message }): Fact => [
      type,
      `${status}, ${reason}${message === '' ? '' : `: ${message}`}`,
    ]),
  ];
  const known = typeof signals === 'string' ? { signalsUnknown: signals } : { signals };
  return {
    title: `pool ${metadata.name}`,
    facts,
    json: { name: metadata.name, ...counts, ...known, because, conditions: pool.status?.conditions },
  };
}

function countsOf(pool: RunnerPoolObject, pods: readonly Pod[]): Counts {
  const alive = pods.filter(isAlive);
  const idle = alive.filter(isIdle);
  const asking = idle.filter((pod) => isWarm(pod, pool)).length;
  return { wanted: pool.spec.replicas, alive: alive.length, idle: idle.length, asking };
}

function podsText({ wanted, alive, idle, asking }: Counts): string {
  const starting = idle === asking ? '' : ` (${idle - asking} of them not up yet)`;
  return `${alive} of ${wanted}: ${idle} idle${starting}, ${alive - idle} busy`;
}

function jobsText({ queued, withheld, occupied, oldestQueuedAt }: Signals, now: number): string {
  const oldest = oldestQueuedAt === undefined ? '' : `, the oldest for ${ageText(now - oldestQueuedAt)}`;
  return `${queued} wait${oldest}, ${withheld} are held back by the limits of their accounts, ${occupied} Pods are in use`;
}

/** The possible causes: too few Pods, dispatch does not hand out jobs, or Pods end before their jobs. */
function verdict(pool: RunnerPoolObject, counts: Counts, signals: Signals): string {
  const { queued, withheld, occupied, p95LastHour } = signals;
  if (queued === 0) return withheld > 0 ? 'jobs wait for the limits of their accounts' : 'no job waits';
  if (counts.asking === 0) return `jobs wait for Pods: ${shortage(pool, counts) ?? fullness(counts)}`;
  // A session proves that dispatch hands out jobs, so the cause may also be Pods that end early.
  return occupied > 0 || p95LastHour > 0
    ? 'jobs wait although Pods poll for them, and dispatch has handed out jobs within the last hour: for a requeued job see muster why job/ID; otherwise check the log of dispatch'
    : 'jobs wait although Pods poll for them: dispatch does not hand them out; check its log and GitHub';
}

/** Why Pods are missing, by the Ready condition of the pool; undefined where none is missing. */
function shortage({ status }: RunnerPoolObject, { wanted, alive }: Counts): string | undefined {
  if (alive >= wanted) return undefined;
  const missing = `${wanted - alive} of ${wanted} are missing`;
  const ready = status?.conditions?.find(({ type }) => type === 'Ready');
  const isExplained = ready?.status === 'False' && ready.reason !== 'ReplicasMissing';
  return isExplained
    ? `${missing}: ${ready.reason}, ${ready.message}`
    : `${missing}, and the manager creates them; if they do not appear, check its log`;
}

function fullness({ wanted, alive, idle }: Counts): string {
  if (alive === 0) return `the pool has ${wanted} replicas; more replicas help`;
  return idle > 0
    ? `${idle} are not up yet; if this persists, check them with kubectl describe`
    : 'the pool is full; more replicas or more Nodes help';
}
