/** Cells of the host table that need more than the pair of states: the server name, the wipe, the claimant. */
import type { HostRecord, HostStatus } from './host-record.ts';
import { isNamedByPerson, observedState, type NameClass } from './host-state.ts';
import { rest, step, type Transition } from './host-steps.ts';
import { claimantIn, type Ownership } from './ownership.ts';
import { wipeProgress } from './wipe-progress.ts';

export interface Situation {
  readonly host: HostRecord;
  readonly ownership: Ownership;
  readonly name: NameClass;
  /** The claimant has the host in `status.serverID`. */
  readonly isBound: boolean;
  /** Other servers carry the name of that machine. */
  readonly isNameTaken: boolean;
  readonly now: number;
}

export type Cell = Transition | ((situation: Situation) => Transition);

/** A late copy of a rename request may still land for this long. */
export const lateRequestMs = 3 * 60_000;
/**
 * A refused pool name is retried sooner than this. If every record is older, the MacHost was restored, or no replica
 * led.
 */
const parkMaxMs = 2 * 60 * 60_000;
/** A pending name older than this belongs to no running adoption. */
const pendingMaxMs = 60 * 60_000;

const leftToPerson = step('Foreign', 'leave-to-person', 'NamedByPerson');

/** A person who renames a server takes it over: Muster takes no further step on it. */
export function unlessNamedByPerson(cell: Cell): Cell {
  return (situation) => {
    // mutation: name-of-person-stops-steps
    if (isNamedByPerson(situation.name, situation.host)) return leftToPerson;
    return typeof cell === 'function' ? cell(situation) : cell;
  };
}

/**
 * A name that neither our machines nor our pools use is foreign: a person is setting the server up, or another
 * cluster has it.
 */
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

/** Once seen under the name of its machine, the host keeps any later name: a later rename is deliberate. */
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

/** With these reasons the host has no claim: a machine only speaks for the host. */
const unclaimedReasons: ReadonlySet<string> = new Set(['SpokenFor', 'NotYetObserved']);

export function wasOwned({ state, reason = '' }: HostStatus): boolean {
  return state === 'Owned' && !unclaimedReasons.has(reason);
}

/** The claimant has used the host, or may have. */
function isServed({ host: { spec, status }, isBound }: Situation): boolean {
  return isBound || wasOwned(status) || (spec.claim !== undefined && status.servedUid === spec.claim.uid);
}

/** No two servers carry one name. A machine that is deleted, or that names another host, gets no server. */
function adopting({ host, ownership, isNameTaken }: Situation): Transition {
  const means = claimantIn(ownership.speakers)?.by.some((way) => way !== 'claim' && way !== 'name') === true;
  if (isNameTaken) return rest('Adopting', 'ServerNameTaken');
  // mutation: deleting-machine-names-nothing
  const mayName = ownership.claimant === 'live' && means && observedState(host) === 'ready';
  return mayName ? step('Adopting', 'promote') : rest('Adopting');
}

/**
 * A bound machine keeps the record of its host. A machine that only claimed the host must be free to take another.
 */
export function ownedAndGone({ isBound }: Situation): Transition {
  return isBound ? rest('Broken', 'HostGone') : step('Broken', 'forget', 'HostGone');
}

/** A machine that is not bound yet would wait for ever while other hosts are free, so its claim is dropped. */
export function ownedAndFaulty(situation: Situation): Transition {
  const isKept = situation.name === 'own' || isServed(situation);
  return isKept ? rest('Broken') : step('Broken', 'yield');
}

/** A machine gets no host whose rent ends. A machine that already has the host keeps it to the end. */
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
