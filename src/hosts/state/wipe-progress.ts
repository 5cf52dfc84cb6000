/**
 * How far the wipe of a release is. A wipe counts only if the host was seen being wiped after it was asked for, and seen
 * ready after that: an accepted request proves nothing, and a host that is ready may be ready because nothing has begun.
 * Which order a wipe belongs to is told by name and not by comparing times: orders are stamped by other clocks.
 */
import type { HostRecord, HostStatus, ReleaseOrder } from './host-record.ts';

export type WipeProgress =
  /** Not asked for under this order, or refused. */
  | 'none'
  /** Asked for, and not seen to begin yet. */
  | 'asked'
  /** Asked for so long ago that it must have been lost. */
  | 'lost'
  | 'started'
  | 'completed';

/** How long a wipe may take to begin; a request that lands later than this was not made by this order. */
export const wipeBeginsWithinMs = 5 * 60_000;

export function wipeProgress(
  { wipe }: Pick<HostStatus, 'wipe'>,
  order: ReleaseOrder,
  now: number,
): WipeProgress {
  if (wipe === undefined || wipe.order !== order.orderedAt) return 'none';
  if (wipe.completedAt !== undefined) return 'completed';
  if (wipe.startedAt !== undefined) return 'started';
  // mutation: refused-wipe-is-retried-soon
  if (wipe.refusedAt !== undefined) return 'none';
  // mutation: unanswered-wipe-is-lost-in-time
  return now - Date.parse(wipe.askedAt) < wipeBeginsWithinMs ? 'asked' : 'lost';
}

/** How far a wipe is whose order was dropped; `none` also when nothing more can come of the wipe. */
export function detachedWipe(
  { spec, status: { wipe } }: Pick<HostRecord, 'spec' | 'status'>,
  now: number,
): 'none' | 'asked' | 'started' {
  if (wipe === undefined || wipe.completedAt !== undefined) return 'none';
  if (spec.release !== undefined && wipe.order === spec.release.orderedAt) return 'none';
  if (wipe.startedAt !== undefined) return 'started';
  return now - Date.parse(wipe.askedAt) < wipeBeginsWithinMs ? 'asked' : 'none';
}
