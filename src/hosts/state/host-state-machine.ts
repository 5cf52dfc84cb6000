/**
 * The state machine of a host: a table of desired and observed state with a cell for every pair, so that no
 * combination is missing. Cells that need more than the pair are functions.
 *
 * A release goes down the `release` column: request the wipe, see it begin, give the server its pool name, see it
 * ready, count the wipe, and only then drop the claim. An interrupted release continues from where it stopped.
 */
import {
  freeOrForeign,
  ownedAndFaulty,
  ownedAndGone,
  ownedOrAdopting,
  ownedUntilRentEnds,
  strandedOrForeign,
  unlessNamedByPerson,
  type Cell,
} from './host-transitions.ts';
import type { HostRecord } from './host-record.ts';
import {
  isOrderRefused,
  nameClassOf,
  observedState,
  desiredState,
  type FleetView,
  type ObservedState,
  type DesiredState,
} from './host-state.ts';
import { hostSteps, rest, step, type Transition } from './host-steps.ts';
import { claimantIn, type Ownership } from './ownership.ts';
import { detachedWipe, whenReady, whileWiping } from './wipe-progress.ts';
import { otherFamilyOf } from './wiped-family.ts';

const abandoned: Readonly<Record<ObservedState, Cell>> = {
  unseen: rest('Stranded', 'NotYetObserved'),
  gone: step('Broken', 'delete-record', 'HostGone'),
  scheduled: rest('Terminating', 'Deleted'),
  faulty: strandedOrForeign,
  wiping: strandedOrForeign,
  'half-wiped': strandedOrForeign,
  busy: strandedOrForeign,
  ready: strandedOrForeign,
};

const endRent = unlessNamedByPerson(step('Terminating', 'terminate', 'Deleting'));

const table: Readonly<Record<DesiredState, Readonly<Record<ObservedState, Cell>>>> = {
  free: {
    unseen: rest('Foreign', 'NotYetObserved'),
    gone: step('Broken', 'delete-record', 'HostGone'),
    scheduled: rest('Terminating', 'Deleted'),
    faulty: rest('Broken'),
    wiping: rest('Reinstalling'),
    'half-wiped': rest('Broken'),
    busy: freeOrForeign,
    ready: freeOrForeign,
  },
  unowned: { ...abandoned, faulty: rest('Broken') },
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
  'spoken-for': {
    unseen: rest('Owned', 'NotYetObserved'),
    gone: rest('Broken', 'HostGone'),
    scheduled: rest('Owned', 'RentEnds'),
    faulty: rest('Broken'),
    wiping: rest('Owned', 'Reinstalling'),
    'half-wiped': rest('Broken'),
    busy: rest('Owned', 'SpokenFor'),
    ready: rest('Owned', 'SpokenFor'),
  },
  abandoned,
  release: {
    unseen: rest('Releasing', 'NotYetObserved'),
    gone: step('Broken', 'delete-record', 'HostGone'),
    scheduled: rest('Terminating', 'Deleted'),
    faulty: unlessNamedByPerson(rest('Broken')),
    wiping: unlessNamedByPerson(whileWiping),
    'half-wiped': unlessNamedByPerson(step('Releasing', 'wipe')),
    busy: unlessNamedByPerson(rest('Releasing', 'AwaitingReinstall')),
    ready: unlessNamedByPerson(whenReady),
  },
  terminate: {
    unseen: rest('Terminating', 'NotYetObserved'),
    gone: step('Terminating', 'delete-record', 'Deleted'),
    scheduled: rest('Terminating', 'Deleted'),
    faulty: endRent,
    wiping: endRent,
    'half-wiped': endRent,
    busy: endRent,
    ready: endRent,
  },
};

export function nextTransition(host: HostRecord, view: FleetView, now: number): Transition {
  const ownership = view.ownershipOf(host);
  const verdict = cellFor({ host, ownership, view, now });
  if (!isOrderRefused(host, ownership)) return watchingWipe(verdict, host, now);
  const refused = { ...verdict, reason: 'OrderRefused' } as const;
  // mutation: refused-order-is-canceled
  return { ...refused, step: ownership.heldBy === undefined ? 'cancel-order' : 'none' };
}

/** A requested wipe is observed to its end, even when its order was dropped meanwhile. */
function watchingWipe(verdict: Transition, host: HostRecord, now: number): Transition {
  if (verdict.step !== 'none') return verdict;
  const progress = detachedWipe(host, now);
  const seen = observedState(host);
  if (progress === 'asked' && seen === 'wiping') return { ...verdict, step: 'record-wipe-start' };
  if (progress === 'started' && seen === 'ready') return { ...verdict, step: 'record-wipe-completion' };
  return verdict;
}

interface HostFacts {
  readonly host: HostRecord;
  readonly ownership: Ownership;
  readonly view: FleetView;
  readonly now: number;
}

function cellFor({ host, ownership, view, now }: HostFacts): Transition {
  const cell = table[desiredState(host, ownership)][observedState(host)];
  if (typeof cell !== 'function') return cell;
  const { claim } = host.spec;
  const isBound = claimantIn(ownership.speakers)?.by.includes('serverID') === true;
  const name = nameClassOf(host, ownership, view);
  const isNameTaken = claim !== undefined && view.serversCalled(claim.name).some((id) => id !== host.id);
  const verdict = cell({ host, ownership, name, isBound, isNameTaken, now });
  const isWiping = verdict.state === 'Reinstalling';
  return isWiping && otherFamilyOf(host) !== undefined ? { ...verdict, reason: 'OSPinUnavailable' } : verdict;
}

/** The text of a cell for the generated page of the table. */
export function transitionText(wanted: DesiredState, seen: ObservedState): string {
  const cell = table[wanted][seen];
  if (typeof cell === 'function') return 'depends on its name and its wipe';
  return cell.step === 'none' ? cell.state : `${cell.state}: ${hostSteps[cell.step]}`;
}
