/**
 * Decides the replicas of a pool: its own need, cut to its share of the capacity that it shares with its siblings. The
 * number rises at once and falls only after a cooldown. If an input is unknown, the number stays unchanged.
 */
import type { Reason } from '../../api/conditions/reasons.ts';
import { floorAt, type WallClock } from '../state/pool-windows.ts';
import type { NodeFacts, RunnerPoolObject } from '../state/runner-pool-objects.ts';
import type { Plan } from '../../kube/reconciler/plan.ts';
import { isDeleting, keyOf } from '../../kube/client/kube-object.ts';
import { allocate, type Claimant } from './allocate.ts';
import { capacityFor, costOf } from './capacity.ts';
import { loadOf, targetOf, type Signals } from './target.ts';

export interface Observed {
  readonly now: number;
  readonly pool: RunnerPoolObject;
  /** Undefined if dispatch reported no signals. */
  readonly signals: Signals | undefined;
  /** The other autoscaled pools on the same Nodes. */
  readonly siblings: readonly Sibling[];
  /** Undefined until the Nodes are listed. */
  readonly nodes: readonly NodeFacts[] | undefined;
  /** Overhead of Pods by runtime class, in bytes. */
  readonly overheads: ReadonlyMap<string, number>;
  readonly clock: WallClock;
}

export interface Sibling {
  readonly pool: RunnerPoolObject;
  readonly signals: Signals | undefined;
}

export interface Action {
  readonly kind: 'scale';
  readonly replicas: number;
}

/** The calculated numbers, for metrics. */
export interface Sums {
  readonly load: number;
  readonly floor: number;
  readonly target: number;
  readonly allocated: number;
}

export interface Decision {
  readonly reason: Reason;
  readonly detail: string;
  readonly sums?: Sums;
  readonly action?: Action;
}

const lookAgainMs = 5000;

export function plan(observed: Observed): Plan<Action> {
  const { now, pool } = observed;
  const { reason, detail, action } = decide(observed);
  return {
    actions: action === undefined ? [] : [action],
    notes: [{ subject: `RunnerPool/${keyOf(pool)}`, reason, detail }],
    ...(isScaled(pool) && { requeueAt: now + lookAgainMs }),
  };
}

/** Without a maximum the pool has no upper limit, so its replicas are left to operators. */
export function isScaled(pool: RunnerPoolObject): boolean {
  const { enabled, maxReplicas } = pool.spec.autoscaling;
  return enabled && maxReplicas > 0 && !isDeleting(pool);
}

export function decide(observed: Observed): Decision {
  const { pool, signals } = observed;
  if (!isScaled(pool))
    return { reason: 'NotAutoscaled', detail: 'the pool is not autoscaled, or has no maximum' };
  if (signals === undefined)
    return { reason: 'SignalsUnavailable', detail: 'dispatch reports no signals of the pool' };
  const own = claimantOf({ pool, signals }, observed);
  if (own === undefined) return unknownCost(pool);
  const allocated = shareOf(own, observed);
  if (allocated === undefined) return unknownCost(pool);
  const { load, floor, target } = own;
  return apply({ load, floor, target, allocated }, observed);
}

function unknownCost({ spec }: RunnerPoolObject): Decision {
  const detail = `the runtime class and thus the cost of a Pod on ${spec.fleetSelector} is unknown`;
  return { reason: 'RuntimeClassUnknown', detail };
}

/**
 * Returns the pool's own target if siblings or capacity are unknown: missing data about one pool must not starve
 * another. Undefined if a cost is unknown.
 */
function shareOf(own: Claimant, { pool, siblings, nodes, ...observed }: Observed): number | undefined {
  const capacity = nodes === undefined ? 0 : capacityFor(pool, nodes);
  const known = siblings.flatMap(({ pool: one, signals }) =>
    signals === undefined ? [] : [{ pool: one, signals }],
  );
  if (capacity <= 0 || known.length < siblings.length) return own.target;
  const others = known.map((sibling) => claimantOf(sibling, observed));
  const all = others.filter((one) => one !== undefined);
  if (all.length < others.length) return undefined;
  return allocate([own, ...all], capacity).get(own.name);
}

interface Reported {
  readonly pool: RunnerPoolObject;
  readonly signals: Signals;
}

function claimantOf(
  { pool, signals }: Reported,
  { clock, overheads }: Pick<Observed, 'clock' | 'overheads'>,
): Claimant | undefined {
  const cost = costOf(pool, overheads);
  if (cost === undefined) return undefined;
  const { autoscaling } = pool.spec;
  const floor = Math.max(0, floorAt(autoscaling, clock));
  const target = targetOf(signals, { floor, max: autoscaling.maxReplicas });
  return { name: keyOf(pool), cost, floor, load: loadOf(signals), target };
}

function apply(sums: Sums, observed: Observed): Decision {
  const { replicas } = observed.pool.spec;
  const { allocated, load, floor, target } = sums;
  const detail = `${replicas} Pods are desired, ${allocated} are needed: load ${load}, idle ${floor}, target ${target}`;
  if (allocated === replicas) return { reason: 'AtTarget', detail, sums };
  const action = { kind: 'scale', replicas: allocated } as const;
  if (allocated > replicas) return { reason: 'ScaledUp', detail, sums, action };
  return isRested(observed)
    ? { reason: 'ScaledDown', detail, sums, action }
    : { reason: 'CoolingDown', detail, sums };
}

function isRested({ pool, now }: Observed): boolean {
  const last = Date.parse(pool.status?.lastScaleDownAt ?? '');
  const rest = Math.max(0, pool.spec.autoscaling.scaleDownCooldownSeconds) * 1000;
  return Number.isNaN(last) || now - last >= rest;
}
