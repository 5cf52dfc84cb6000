/** Calculates how many Pods a pool needs by itself, from the signals of dispatch. */

/** The signals of dispatch about one pool. */
export interface Signals {
  /** Pods with a claim. */
  readonly claimed: number;
  /** Queued jobs within the budgets of their accounts. */
  readonly queued: number;
  /** 95th percentile of concurrent sessions in the last hour. */
  readonly p95: number;
  /** Pods with a claim or a session: some still run a job after their claim has ended. */
  readonly occupied: number;
  /** Queued jobs beyond the budgets of their accounts. */
  readonly withheld: number;
}

export interface Bounds {
  /** Warm Pods on top of demand. */
  readonly floor: number;
  readonly max: number;
}

/** Withheld jobs count as one Pod, else a full fleet would look idle to the pool. */
export function loadOf({ claimed, occupied, queued, withheld }: Signals): number {
  return Math.max(occupied, claimed) + queued + (withheld > 0 ? 1 : 0);
}

export function targetOf(signals: Signals, { floor, max }: Bounds): number {
  const wanted = Math.max(loadOf(signals), signals.p95) + floor;
  return Math.max(0, Math.min(max, wanted));
}

export interface Granted extends Pick<Bounds, 'floor'> {
  readonly load: number;
  readonly target: number;
  readonly allocated: number;
}

/** Warm Pods that the pool should have and the fleet has no capacity for. */
export function warmDeficit({ load, floor, target, allocated }: Granted): number {
  return Math.max(0, Math.min(load + floor, target) - Math.max(allocated, load));
}
