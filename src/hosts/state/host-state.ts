/**
 * A host in the words in which decisions are made: what is wanted of it, by the object that stands for it, and what was
 * seen of it at the provider. Everything here is a function of its input.
 */
import { isClaimPendingName, isClaimStyleName, isPoolName } from '../../api/names/host-names.ts';
import { goneStatus, type HostRecord, type HostSpec } from './host-record.ts';
import { lastOwnerOf, objectorsTo, type Ownership, type Speaker } from './ownership.ts';

/** What all hosts are judged by beside their own MacHost. */
export interface FleetView {
  readonly ownershipOf: (host: HostRecord) => Ownership;
  /** The servers that carry this name, by id. */
  readonly serversCalled: (name: string) => readonly string[];
  /** Under each of these a free host may be called. */
  readonly poolPrefixes: readonly string[];
  /** What names of hosts of this cluster begin with; empty when it is not known. */
  readonly claimPrefix: string;
}

export const wantedOfHosts = [
  /** Nobody holds it, and nobody did since its last wipe. */
  'free',
  /** Nobody holds it, but its disk was used. */
  'unowned',
  /** A person keeps it aside. */
  'held',
  /** A living machine holds it. */
  'owned',
  /** A living machine speaks for the host, and holds no claim on it. */
  'spoken-for',
  /** A machine holds it that does not exist any more. */
  'abandoned',
  /** It is to be wiped and offered again. */
  'release',
  /** Its rent is to be ended. */
  'terminate',
] as const;
export type DesiredState = (typeof wantedOfHosts)[number];

export const seenOfHosts = [
  /** No inventory has shown it yet. */
  'unseen',
  /** The provider does not know it any more. */
  'gone',
  /** The provider will end its rent. */
  'scheduled',
  /** The provider says that it is faulty, or locked. */
  'faulty',
  /** Its disk is being wiped. */
  'wiping',
  /** A wipe of it was cut off, and nobody is at it any more. */
  'half-wiped',
  /** It is not usable at the moment. */
  'busy',
  'ready',
] as const;
export type ObservedState = (typeof seenOfHosts)[number];

/** `known`: the server is called like a machine, or like the last owner of the host, or as its order says. */
export type NameClass = 'own' | 'pool' | 'pending' | 'known' | 'claim-style' | 'other';

const faultyStatuses: ReadonlySet<string> = new Set(['error', 'locked', 'locking']);

export function desiredState(host: HostRecord, ownership: Ownership): DesiredState {
  const { spec } = host;
  // mutation: held-host-is-untouched
  if (ownership.heldBy !== undefined) return 'held';
  // mutation: terminate-order-is-not-release
  if (spec.release !== undefined && !isOrderRefused(host, ownership))
    return spec.release.policy === 'terminate' ? 'terminate' : 'release';
  if (ownership.claimant === 'live' || ownership.claimant === 'deleting') return 'owned';
  // mutation: host-of-live-machine-is-kept
  if (isSpokenFor(host, ownership)) return 'spoken-for';
  // mutation: claim-of-missing-machine-is-abandoned
  if (spec.claim !== undefined) return 'abandoned';
  return spec.used === true ? 'unowned' : 'free';
}

/** A machine that is about to claim a clean host names the host in its annotation: the host is free until then. */
function isSpokenFor({ spec }: HostRecord, { speakers }: Ownership): boolean {
  const isClean = spec.claim === undefined && spec.used !== true;
  const isIntent = ({ by }: Speaker): boolean => by.length === 1 && by[0] === 'annotation';
  return speakers.some((speaker) => !isClean || !isIntent(speaker));
}

/** A live machine speaks for the host, and the order is neither its own nor one that stands against its word. */
export function isOrderRefused(host: HostRecord, ownership: Ownership): boolean {
  const { release } = host.spec;
  // mutation: objectors-refuse-order
  return release !== undefined && objectorsTo(release, host, ownership).length > 0;
}

export function observedState({ status }: HostRecord): ObservedState {
  const { observed } = status;
  if (observed?.status === undefined) return 'unseen';
  if (observed.status === goneStatus) return 'gone';
  // mutation: scheduled-deletion-is-ending
  if (observed.deletionScheduled === true) return 'scheduled';
  if (faultyStatuses.has(observed.status)) return 'faulty';
  if (observed.status === 'reinstalling') return 'wiping';
  if (observed.status === 'interrupted') return 'half-wiped';
  return observed.status === 'ready' && observed.delivered === true ? 'ready' : 'busy';
}

/** What the name at the provider says. Its own name comes first: a machine may be called like anything. */
export function nameClassOf(
  host: HostRecord,
  ownership: Ownership,
  { poolPrefixes, claimPrefix }: Pick<FleetView, 'poolPrefixes' | 'claimPrefix'>,
): NameClass {
  const { spec, status } = host;
  const { name = '' } = status.observed ?? {};
  if (name === spec.claim?.name) return 'own';
  if (ownership.midAdoption) return 'pending';
  if (isNamedAsOffered(host, poolPrefixes)) return 'pool';
  if (isNameOfMachine(name, spec, ownership)) return 'known';
  return name !== spec.personName && isClaimStyleName(name, claimPrefix) ? 'claim-style' : 'other';
}

/**
 * Muster offers a server under a pool prefix and the server's id. The prefix may be out of use by now: then the order or the
 * MacHost names it. The id alone proves nothing: people and other clusters end names with it, too.
 */
export function isNamedAsOffered(
  { id, spec, status }: HostRecord,
  prefixesInUse: readonly string[],
): boolean {
  const { name = '' } = status.observed ?? {};
  if (prefixesInUse.some((prefix) => isPoolName(name, prefix))) return true;
  const prefixes = [spec.release?.poolPrefix ?? '', status.poolPrefix ?? ''];
  return name.endsWith(id) && prefixes.some((prefix) => isPoolName(name, prefix));
}

/** A live machine has the name, or the record of the host has it. */
function isNameOfMachine(name: string, spec: HostSpec, ownership: Ownership): boolean {
  if (ownership.isMachineName) return true;
  return name !== '' && [lastOwnerOf(spec)?.name, spec.release?.serverName].includes(name);
}

/** The server had no pending name when the sweep or a person ordered its wipe: another manager adopts the server. */
function isAdoptedSince(release: HostSpec['release']): boolean {
  return release?.serverName !== undefined && !isClaimPendingName(release.serverName);
}

/**
 * Whether a person or another manager gave the server its name. The prefix of claims counts only for what no order is about: a person who
 * renames a host that is being given up wants to keep it. Orders that were written by hand say nothing of the name.
 */
export function isNamedByPerson(name: NameClass, { spec: { release } }: HostRecord): boolean {
  if (name === 'pending') return isAdoptedSince(release);
  if (name !== 'claim-style') return name === 'other';
  const isWrittenByHand = release?.machineUid === undefined && release?.serverName === undefined;
  return release !== undefined && !isWrittenByHand;
}
