/**
 * What is to be done about a host: a table of what is wanted and what is seen. The table has a cell for every pair, so
 * that no combination is forgotten; the few cells that need to look closer are functions.
 *
 * The order in which a host is given up, read down the cells of `release`: wipe, see it begin, take the pool name, see it
 * ready, count it, and only then let go of the claim. Whatever is interrupted goes on where it was.
 */
import type { HostState } from '../api/mac-host.ts';
import type { Reason } from '../api/reasons.ts';
import {
  isOrderRefused,
  nameClassOf,
  seenOf,
  wantedOf,
  type FleetView,
  type HostRecord,
  type NameClass,
  type Seen,
  type Wanted,
} from './host-situation.ts';
import { wipeProgress } from './wipe-progress.ts';
import { otherFamilyOf } from './wiped-family.ts';

export const hostSteps = {
  none: 'nothing',
  promote: 'give the server the name of its machine',
  yield: 'let go of the claim: the server is of no use to the machine, or somebody else has taken it',
  wipe: 'ask for a wipe',
  'note-start': 'record that the wipe was seen to begin',
  park: 'give the server a pool name',
  'note-complete': 'record that the wipe was seen complete, and count it',
  offer: 'let go of the claim: the host is free',
  end: 'end the rent, or schedule its end',
  withdraw: 'take the order off: a machine lives on the host',
  forget: 'forget the host: the provider does not know it any more',
} as const;
export type HostStep = keyof typeof hostSteps;

export interface Verdict {
  readonly state: HostState;
  readonly reason: Reason;
  readonly step: HostStep;
}

interface Situation {
  readonly host: HostRecord;
  readonly name: NameClass;
  /** A machine was served by it. */
  readonly isBound: boolean;
  readonly now: number;
}

type Cell = Verdict | ((situation: Situation) => Verdict);

/** After a rename was asked for, a late copy of the request may still land for this long. */
const lateRequestMs = 3 * 60_000;

const rest = (state: HostState, reason: Reason = state): Verdict => ({ state, reason, step: 'none' });
const step = (state: HostState, next: HostStep, reason: Reason = state): Verdict => ({
  state,
  reason,
  step: next,
});

const untouched: Readonly<Record<Seen, Cell>> = {
  unseen: rest('Foreign', 'NotYetObserved'),
  gone: step('Broken', 'forget', 'HostGone'),
  scheduled: rest('Terminating', 'Deleted'),
  faulty: rest('Broken'),
  wiping: rest('Reinstalling'),
  'half-wiped': rest('Broken'),
  busy: freeOrForeign,
  ready: freeOrForeign,
};

const table: Readonly<Record<Wanted, Readonly<Record<Seen, Cell>>>> = {
  free: untouched,
  unowned: {
    ...untouched,
    unseen: rest('Stranded', 'NotYetObserved'),
    wiping: rest('Stranded'),
    'half-wiped': rest('Stranded'),
    busy: rest('Stranded'),
    ready: rest('Stranded'),
  },
  held: {
    unseen: rest('Quarantined'),
    gone: rest('Quarantined', 'HostGone'),
    scheduled: rest('Quarantined'),
    faulty: rest('Quarantined'),
    wiping: rest('Quarantined'),
    'half-wiped': rest('Quarantined'),
    busy: rest('Quarantined'),
    ready: rest('Quarantined'),
  },
  owned: {
    unseen: rest('Adopting', 'NotYetObserved'),
    gone: ownedAndGone,
    scheduled: ownedUntilRentEnds,
    faulty: ownedAndFaulty,
    wiping: ownedOrAdopting,
    'half-wiped': rest('Broken'),
    busy: ownedOrAdopting,
    ready: ownedOrAdopting,
  },
  abandoned: {
    unseen: rest('Stranded', 'NotYetObserved'),
    gone: step('Broken', 'forget', 'HostGone'),
    scheduled: rest('Terminating', 'Deleted'),
    faulty: rest('Stranded'),
    wiping: rest('Stranded'),
    'half-wiped': rest('Stranded'),
    busy: rest('Stranded'),
    ready: rest('Stranded'),
  },
  release: {
    unseen: rest('Releasing', 'NotYetObserved'),
    gone: step('Broken', 'forget', 'HostGone'),
    scheduled: rest('Terminating', 'Deleted'),
    faulty: rest('Broken'),
    wiping: whileWiping,
    'half-wiped': step('Releasing', 'wipe'),
    busy: rest('Releasing', 'AwaitingReinstall'),
    ready: whenReady,
  },
  terminate: {
    unseen: step('Terminating', 'end', 'Deleting'),
    gone: step('Terminating', 'forget', 'Deleted'),
    scheduled: rest('Terminating', 'Deleted'),
    faulty: step('Terminating', 'end', 'Deleting'),
    wiping: step('Terminating', 'end', 'Deleting'),
    'half-wiped': step('Terminating', 'end', 'Deleting'),
    busy: step('Terminating', 'end', 'Deleting'),
    ready: step('Terminating', 'end', 'Deleting'),
  },
};

export function verdictOn(host: HostRecord, view: FleetView, now: number): Verdict {
  const verdict = cellFor(host, view, now);
  if (!isOrderRefused(host, view)) return verdict;
  const refused = { ...verdict, reason: 'OrderRefused' } as const;
  return isWithdrawn(host, view) ? { ...refused, step: 'withdraw' } : refused;
}

/**
 * An order under a machine that stays would be carried out should that machine be lost, whenever that is, and by then nobody
 * remembers it; and a machine whose claim was lost could not take its host back. Where the claim is that of another machine the order
 * waits: whoever says that it has the host may be wrong.
 */
function isWithdrawn({ id, spec }: HostRecord, { isStaying, isHome }: FleetView): boolean {
  if (spec.hold !== undefined) return false;
  return spec.claim === undefined ? isHome(id) : isStaying(spec.claim, id);
}

function cellFor(host: HostRecord, view: FleetView, now: number): Verdict {
  const cell = table[wantedOf(host, view)][seenOf(host)];
  if (typeof cell !== 'function') return cell;
  const { claim } = host.spec;
  const isBound = claim !== undefined && view.isBound(claim, host.id);
  const verdict = cell({ host, name: nameClassOf(host, view), isBound, now });
  const isWiping = verdict.state === 'Reinstalling';
  return isWiping && otherFamilyOf(host) !== undefined ? { ...verdict, reason: 'OSPinUnavailable' } : verdict;
}

/** A name that no machine of ours and no pool gives is somebody else's: a person still sets it up, or another cluster has it. */
function freeOrForeign({ host, name }: Situation): Verdict {
  if (name === 'pool') return seenOf(host) === 'ready' ? rest('Pooled') : rest('Pooled', 'Settling');
  return name === 'other' ? rest('Foreign') : rest('Stranded');
}

/** Once it has been seen under the name of its machine it is only looked at: whoever renames it then means something. */
function ownedOrAdopting({ host, name, isBound }: Situation): Verdict {
  if (name === 'own') return seenOf(host) === 'wiping' ? rest('Owned', 'Reinstalling') : rest('Owned');
  if (isBound || host.status.state === 'Owned') return rest('Owned', 'RenamedElsewhere');
  if (name === 'pool' || name === 'pending')
    return seenOf(host) === 'ready' ? step('Adopting', 'promote') : rest('Adopting');
  return step('Adopting', 'yield', 'RenamedElsewhere');
}

/** A machine that was served keeps the record of it; one that only claimed it must be free to take another. */
function ownedAndGone({ isBound }: Situation): Verdict {
  return isBound ? rest('Broken', 'HostGone') : step('Broken', 'forget', 'HostGone');
}

/** As one that is gone: a machine that has not got it yet would wait for ever, while others are free. */
function ownedAndFaulty({ host, name, isBound }: Situation): Verdict {
  const isServed = isBound || name === 'own' || host.status.state === 'Owned';
  return isServed ? rest('Broken') : step('Broken', 'yield');
}

/** A machine is not given a host that is about to go; one that has it already keeps it to the end. */
function ownedUntilRentEnds({ isBound, name }: Situation): Verdict {
  return isBound || name === 'own' ? rest('Owned', 'RentEnds') : step('Adopting', 'yield', 'RentEnds');
}

function whileWiping({ host, name, now }: Situation): Verdict {
  const progress = progressOf(host, now);
  if (progress === 'none' || progress === 'asked' || progress === 'lost')
    return step('Reinstalling', 'note-start');
  return name === 'pool' ? rest('Reinstalling') : step('Reinstalling', 'park');
}

function whenReady({ host, name, now }: Situation): Verdict {
  switch (progressOf(host, now)) {
    case 'none':
    case 'lost':
      return step('Releasing', 'wipe');
    case 'asked':
      return rest('Releasing', 'AwaitingReinstall');
    case 'started':
      return step('Reinstalling', 'note-complete');
    case 'completed':
      if (name !== 'pool') return step('Reinstalling', 'park');
      return now - renamedAt(host) < lateRequestMs
        ? rest('Reinstalling', 'Settling')
        : step('Reinstalling', 'offer');
  }
}

function progressOf({ spec, status }: HostRecord, now: number) {
  return spec.release === undefined ? 'none' : wipeProgress(status, spec.release, now);
}

function renamedAt({ status }: HostRecord): number {
  return status.wipe?.renamedAt === undefined ? 0 : Date.parse(status.wipe.renamedAt);
}

/** For the page of the table: what stands in each cell, or that it depends. */
export function cellText(wanted: Wanted, seen: Seen): string {
  const cell = table[wanted][seen];
  if (typeof cell === 'function') return 'depends on its name and its wipe';
  return cell.step === 'none' ? cell.state : `${cell.state}: ${hostSteps[cell.step]}`;
}
