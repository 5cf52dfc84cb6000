/**
 * The wipe of a released host: its progress, and the step that is due. A wipe counts only if the host was seen being
 * wiped after the request, and seen ready after that. An accepted request proves nothing, and a ready host may be
 * ready because the wipe has not begun. A wipe is matched to its order by name, not by time: orders are stamped by
 * other clocks.
 */
import type { HostRecord, HostStatus, ReleaseOrder } from './host-record.ts';
import { rest, step, type Transition } from './host-steps.ts';
import { lateRequestMs, type Situation } from './host-transitions.ts';

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
/**
 * A refused pool name is retried sooner than this. If every record is older, the MacHost was restored, or no replica
 * led.
 */
const parkMaxMs = 2 * 60 * 60_000;

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

/** The cell of a host that is being wiped and has a release order. */
export function whileWiping({ host, name, now }: Situation): Transition {
  const progress = progressOf(host, now);
  if (progress === 'none' || progress === 'asked' || progress === 'lost')
    return step('Reinstalling', 'record-wipe-start');
  return name === 'pool' ? rest('Reinstalling') : step('Reinstalling', 'rename-to-pool');
}

/** The cell of a ready host with a release order. */
export function whenReady(situation: Situation): Transition {
  const progress = progressOf(situation.host, situation.now);
  switch (progress) {
    case 'none':
    case 'lost':
      return step('Releasing', 'wipe');
    case 'asked':
      return rest('Releasing', 'AwaitingReinstall');
    case 'started':
    case 'completed':
      return afterWipe(situation, progress);
  }
}

function afterWipe(situation: Situation, progress: 'started' | 'completed'): Transition {
  const { host, name, now } = situation;
  // mutation: wipe-before-later-owner-does-not-count
  if (mayHaveHadOwnerSince(situation)) return step('Releasing', 'wipe');
  if (progress === 'started') return step('Reinstalling', 'record-wipe-completion');
  if (name !== 'pool') return step('Reinstalling', 'rename-to-pool');
  return now - renamedAt(host) < lateRequestMs
    ? rest('Reinstalling', 'Settling')
    : step('Reinstalling', 'return-to-pool');
}

/**
 * A MacHost restored from a backup made during a wipe has no record of a machine that had the host after that wipe.
 * But the server gets its pool name while the wipe runs, and loses that name only to a machine.
 */
function mayHaveHadOwnerSince({ host, name, now }: Situation): boolean {
  if (hasLaterOwner(host)) return true;
  if (name === 'pool') return false;
  const { startedAt, renamedAt: parkAskedAt, completedAt, parkedAt } = host.status.wipe ?? {};
  const times = [startedAt, parkAskedAt, completedAt].map((at) => (at === undefined ? 0 : Date.parse(at)));
  return now - Math.max(...times) >= (parkedAt === undefined ? parkMaxMs : lateRequestMs);
}

/** Wipes of earlier versions do not record their owner: the machine that ordered them is the owner. */
function hasLaterOwner({ spec, status }: HostRecord): boolean {
  const owner = status.wipe?.ownerUid ?? spec.release?.machineUid;
  return owner !== undefined && spec.lastOwner !== undefined && spec.lastOwner.uid !== owner;
}

function progressOf({ spec, status }: HostRecord, now: number) {
  return spec.release === undefined ? 'none' : wipeProgress(status, spec.release, now);
}

function renamedAt({ status }: HostRecord): number {
  return status.wipe?.renamedAt === undefined ? 0 : Date.parse(status.wipe.renamedAt);
}
