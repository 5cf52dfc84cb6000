/**
 * How many Pods a pool is asked for: what it needs by itself, cut to its share of the room that it has together with its
 * siblings. More at once, fewer only after a rest; and whatever is not known leaves the number as it is.
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
  /** Undefined where dispatch did not tell. */
  readonly signals: Signals | undefined;
  /** Of the pools that follow demand on the same Nodes. */
  readonly siblings: readonly Sibling[];
  /** Undefined while not all of them are known. */
  readonly nodes: readonly NodeFacts[] | undefined;
  /** What Pods of a runtime class cost beside their own memory, in bytes. */
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

/** What was worked out, for whoever draws curves. */
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
    ...(isScaled(pool) && { lookAgainAt: now + lookAgainMs }),
  };
}

/** Without a maximum nobody has said how far it may grow, so the number is left to people. */
export function isScaled(pool: RunnerPoolObject): boolean {
  const { enabled, maxReplicas } = pool.spec.autoscaling;
  return enabled && maxReplicas > 0 && !isDeleting(pool);
}

export function decide(observed: Observed): Decision {
  const { pool, signals } = observed;
  if (!isScaled(pool))
    return { reason: 'NotAutoscaled', detail: 'it does not follow demand, or has no maximum' };
  if (signals === undefined)
    return { reason: 'SignalsUnavailable', detail: 'dispatch does not tell what is asked of it' };
  const own = claimantOf({ pool, signals }, observed);
  if (own === undefined) return unknownCost(pool);
  const allocated = shareOf(own, observed);
  if (allocated === undefined) return unknownCost(pool);
  const { load, floor, target } = own;
  return apply({ load, floor, target, allocated }, observed);
}

function unknownCost({ spec }: RunnerPoolObject): Decision {
  const detail = `what a Pod costs on ${spec.fleetSelector} is not known without its runtime class`;
  return { reason: 'RuntimeClassUnknown', detail };
}

/**
 * Its target, where the siblings or the room are not known: one that knows too little must not starve another. Undefined
 * where a cost is not known.
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
  const detail = `${replicas} are asked for, ${allocated} are needed: load ${load}, idle ${floor}, target ${target}`;
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
