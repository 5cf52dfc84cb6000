/** How many Pods a pool needs by itself, from what dispatch says of it. */

/** What dispatch says of one pool. */
export interface Signals {
  /** Pods with a claim. */
  readonly claimed: number;
  /** Jobs that wait and may run. */
  readonly queued: number;
  /** How many ran at once in the last hour, but for its busiest minutes. */
  readonly p95: number;
  /** Pods with a claim or a session: some still work after their claim is gone. */
  readonly occupied: number;
  /** Jobs that wait for room in the budget of their account. */
  readonly withheld: number;
}

export interface Bounds {
  /** Idle Pods on top of demand. */
  readonly floor: number;
  readonly max: number;
}

/** Work that only waits for its account still wants one Pod, or a full fleet would look idle to it. */
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

/** How many of the idle Pods that a pool should have the fleet has no room for. */
export function warmDeficit({ load, floor, target, allocated }: Granted): number {
  return Math.max(0, Math.min(load + floor, target) - Math.max(allocated, load));
}
