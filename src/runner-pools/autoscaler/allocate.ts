/**
 * Shares the capacity of a fleet among its pools. Load is granted first, even beyond the capacity; then the warm Pods
 * of the floors; then what history suggests.
 */
export interface Claimant {
  readonly name: string;
  /** Cost of one Pod, in the unit of the capacity. */
  readonly cost: number;
  readonly floor: number;
  readonly load: number;
  readonly target: number;
}

/** Returns an entry for each pool. */
export function allocate(pools: readonly Claimant[], capacity: number): ReadonlyMap<string, number> {
  const tiers = pools.map(tiersOf);
  const granted = tiers.map(({ load }) => load);
  let left = Math.max(0, capacity - sum(tiers.map(({ load, cost }) => load * cost)));
  for (const tier of ['warm', 'rest'] as const) {
    const wants = tiers.map((one) => (one.cost > 0 ? one[tier] : 0));
    const total = sum(tiers.map(({ cost }, index) => (wants[index] ?? 0) * cost));
    const isEnough = total <= left;
    const share = (want: number): number => (isEnough ? want : Math.trunc((want * left) / total));
    wants.forEach((want, index) => (granted[index] = (granted[index] ?? 0) + share(want)));
    left = isEnough ? left - total : 0;
  }
  return new Map(pools.map(({ name }, index) => [name, granted[index] ?? 0]));
}

function tiersOf({ cost, floor, load: asked, target }: Claimant) {
  const load = clamp(asked, 0, target);
  const warmTop = clamp(floor, load, target);
  return { cost, load, warm: warmTop - load, rest: target - warmTop };
}

function clamp(value: number, low: number, high: number): number {
  return Math.max(low, Math.min(high, value));
}

function sum(numbers: readonly number[]): number {
  return numbers.reduce((total, one) => total + one, 0);
}
