/** The cells of the table of hosts that depend on more than the pair: on the name of the server, the wipe, the claimant. */
import type { HostRecord, HostStatus } from './host-record.ts';
import { isNamedByPerson, observedState, type NameClass } from './host-state.ts';
import { rest, step, type Transition } from './host-steps.ts';
import { claimantIn, type Ownership } from './ownership.ts';
import { wipeProgress } from './wipe-progress.ts';

export interface Situation {
  readonly host: HostRecord;
  readonly ownership: Ownership;
  readonly name: NameClass;
  /** The machine that holds the claim says that it was served by the host. */
  readonly isBound: boolean;
  /** Other servers carry the name of that machine. */
  readonly isNameTaken: boolean;
  readonly now: number;
}

export type Cell = Transition | ((situation: Situation) => Transition);

/** After a rename was asked for, a late copy of the request may still land for this long. */
export const lateRequestMs = 3 * 60_000;
/** A refused pool name is asked for again sooner than this; a MacHost on which all is older was restored, or nobody led. */
const parkMaxMs = 2 * 60 * 60_000;
/** A pending name that is older than this belongs to no adoption any more. */
const pendingMaxMs = 60 * 60_000;

const leftToPerson = step('Foreign', 'leave-to-person', 'NamedByPerson');

/** Nothing more is done to a server that a person took by renaming it. */
export function unlessNamedByPerson(cell: Cell): Cell {
  return (situation) => {
    // mutation: name-of-person-stops-steps
    if (isNamedByPerson(situation.name, situation.host)) return leftToPerson;
    return typeof cell === 'function' ? cell(situation) : cell;
  };
}

/** A name that no machine of ours and no pool gives is somebody else's: a person still sets it up, or another cluster has it. */
export function freeOrForeign({ host, name, now }: Situation): Transition {
  if (name === 'pool') return observedState(host) === 'ready' ? rest('Pooled') : rest('Pooled', 'Settling');
  if (name === 'pending') return isOldPending(host, now) ? rest('Stranded', 'Pending') : rest('Pending');
  // mutation: unknown-name-is-foreign
  return name === 'other' ? foreign(host) : rest('Stranded');
}

function isOldPending({ status: { pendingSince } }: HostRecord, now: number): boolean {
  return pendingSince !== undefined && now - Date.parse(pendingSince) >= pendingMaxMs;
}

function foreign({ spec }: HostRecord): Transition {
  return rest('Foreign', spec.personName === undefined ? 'Foreign' : 'NamedByPerson');
}

/** No machine speaks for the host, and its disk was used. */
export function strandedOrForeign({ host, name }: Situation): Transition {
  if (name === 'pending') return rest('Stranded', 'Pending');
  if (name !== 'other') return rest('Stranded');
  return host.spec.claim === undefined ? foreign(host) : leftToPerson;
}

/** Once it has been seen under the name of its machine it is only looked at: whoever renames it then means something. */
export function ownedOrAdopting(situation: Situation): Transition {
  const { host, name } = situation;
  if (name === 'own') return observedState(host) === 'wiping' ? rest('Owned', 'Reinstalling') : rest('Owned');
  // mutation: owned-host-keeps-console-name
  if (isServed(situation)) return rest('Owned', 'RenamedElsewhere');
  if (name === 'pool' || name === 'pending') return adopting(situation);
  // mutation: adoption-stops-at-name-of-person
  if (isNamedByPerson(name, host)) return leftToPerson;
  // mutation: adoption-drops-claim-after-rename
  return step('Adopting', 'yield', 'RenamedElsewhere');
}

/** With these reasons the host is owned by no claim: a machine only spoke for the host. */
const unclaimedReasons: ReadonlySet<string> = new Set(['SpokenFor', 'NotYetObserved']);

export function wasOwned({ state, reason = '' }: HostStatus): boolean {
  return state === 'Owned' && !unclaimedReasons.has(reason);
}

/** The claimant has used the host, or may have. */
function isServed({ host: { spec, status }, isBound }: Situation): boolean {
  return isBound || wasOwned(status) || (spec.claim !== undefined && status.servedUid === spec.claim.uid);
}

/** No two servers carry one name, and a machine that is being deleted, or means another host, gets nothing. */
function adopting({ host, ownership, isNameTaken }: Situation): Transition {
  const means = claimantIn(ownership.speakers)?.by.some((way) => way !== 'claim' && way !== 'name') === true;
  if (isNameTaken) return rest('Adopting', 'ServerNameTaken');
  // mutation: deleting-machine-names-nothing
  const mayName = ownership.claimant === 'live' && means && observedState(host) === 'ready';
  return mayName ? step('Adopting', 'promote') : rest('Adopting');
}

/** A machine that was served keeps the record of it; one that only claimed it must be free to take another. */
export function ownedAndGone({ isBound }: Situation): Transition {
  return isBound ? rest('Broken', 'HostGone') : step('Broken', 'forget', 'HostGone');
}

/** As one that is gone: a machine that has not got it yet would wait for ever, while others are free. */
export function ownedAndFaulty(situation: Situation): Transition {
  const isKept = situation.name === 'own' || isServed(situation);
  return isKept ? rest('Broken') : step('Broken', 'yield');
}

/** A machine is not given a host that is about to go; one that has it already keeps it to the end. */
export function ownedUntilRentEnds({ isBound, name }: Situation): Transition {
  return isBound || name === 'own' ? rest('Owned', 'RentEnds') : step('Adopting', 'yield', 'RentEnds');
}

export function whileWiping({ host, name, now }: Situation): Transition {
  const progress = progressOf(host, now);
  if (progress === 'none' || progress === 'asked' || progress === 'lost')
    return step('Reinstalling', 'note-start');
  return name === 'pool' ? rest('Reinstalling') : step('Reinstalling', 'park');
}

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
  if (progress === 'started') return step('Reinstalling', 'note-complete');
  if (name !== 'pool') return step('Reinstalling', 'park');
  return now - renamedAt(host) < lateRequestMs
    ? rest('Reinstalling', 'Settling')
    : step('Reinstalling', 'offer');
}

/**
 * A MacHost that was restored from the time of a wipe knows nothing of a machine that had the host after that wipe. But the
 * server gets its pool name while the wipe runs, and leaves that name only with a machine.
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
