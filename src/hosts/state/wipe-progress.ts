/**
 * Progress of the wipe of a release. A wipe counts only if the host was seen being wiped after the request, and seen
 * ready after that. An accepted request proves nothing, and a ready host may be ready because the wipe has not begun.
 * A wipe is matched to its order by name, not by time: orders are stamped by other clocks.
 */
import type { HostRecord, HostStatus, ReleaseOrder } from './host-record.ts';

export type WipeProgress =
  /** Not requested under this order, or refused. */
  | 'none'
  /** Requested, and not seen to begin yet. */
  | 'asked'
  /** Requested so long ago that the request must have been lost. */
  | 'lost'
  | 'started'
  | 'completed';

/** How long a wipe may take to begin. A wipe that begins later was not requested by this order. */
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

/** Progress of a wipe whose order was dropped; `none` also when nothing more can come of the wipe. */
export function detachedWipe(
  { spec, status: { wipe } }: Pick<HostRecord, 'spec' | 'status'>,
  now: number,
): 'none' | 'asked' | 'started' {
  if (wipe === undefined || wipe.completedAt !== undefined) return 'none';
  if (spec.release !== undefined && wipe.order === spec.release.orderedAt) return 'none';
  if (wipe.startedAt !== undefined) return 'started';
  return now - Date.parse(wipe.askedAt) < wipeBeginsWithinMs ? 'asked' : 'none';
}
