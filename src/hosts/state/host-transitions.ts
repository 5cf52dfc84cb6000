/** Cells of the host table that need more than the pair of states: the server name and the claimant. */
import type { HostRecord, HostStatus } from './host-record.ts';
import { isNamedByPerson, observedState, type NameClass } from './host-state.ts';
import { rest, step, type Transition } from './host-steps.ts';
import { claimantIn, type Ownership } from './ownership.ts';

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
  return step('Adopting', 'drop-claim', 'RenamedElsewhere');
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
  return mayName ? step('Adopting', 'rename-to-machine') : rest('Adopting');
}

/**
 * A bound machine keeps the record of its host. A machine that only claimed the host must be free to take another.
 */
export function ownedAndGone({ isBound }: Situation): Transition {
  return isBound ? rest('Broken', 'HostGone') : step('Broken', 'delete-record', 'HostGone');
}

/** A machine that is not bound yet would wait for ever while other hosts are free, so its claim is dropped. */
export function ownedAndFaulty(situation: Situation): Transition {
  const isKept = situation.name === 'own' || isServed(situation);
  return isKept ? rest('Broken') : step('Broken', 'drop-claim');
}

/** A machine gets no host whose rent ends. A machine that already has the host keeps it to the end. */
export function ownedUntilRentEnds({ isBound, name }: Situation): Transition {
  return isBound || name === 'own' ? rest('Owned', 'RentEnds') : step('Adopting', 'drop-claim', 'RentEnds');
}
