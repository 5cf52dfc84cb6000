/**
 * The desired state of a host, from its MacHost and the machines, and its observed state at the provider. All
 * functions here are pure.
 */
import { isClaimPendingName, isClaimStyleName, isPoolName } from '../../api/names/host-names.ts';
import { goneStatus, type HostRecord, type HostSpec } from './host-record.ts';
import { lastOwnerOf, objectorsTo, type Ownership, type Speaker } from './ownership.ts';

/** What a decision about a host needs beside the MacHost itself. */
export interface FleetView {
  readonly ownershipOf: (host: HostRecord) => Ownership;
  /** The ids of the servers with this name. */
  readonly serversCalled: (name: string) => readonly string[];
  /** The prefixes of names of free hosts. */
  readonly poolPrefixes: readonly string[];
  /** The prefix of machine names in this cluster; empty when unknown. */
  readonly claimPrefix: string;
}

export const wantedOfHosts = [
  /** No machine holds the host, and none did since the last wipe. */
  'free',
  /** No machine holds the host, but its disk was used. */
  'unowned',
  /** An operator holds the host. */
  'held',
  /** A live machine holds the claim. */
  'owned',
  /** A live machine speaks for the host and holds no claim on it. */
  'spoken-for',
  /** The machine that holds the claim no longer exists. */
  'abandoned',
  /** The host is to be wiped and returned to the pool. */
  'release',
  /** The rent is to be ended. */
  'terminate',
] as const;
export type DesiredState = (typeof wantedOfHosts)[number];

export const seenOfHosts = [
  /** No inventory has shown the server yet. */
  'unseen',
  /** The provider no longer knows the server. */
  'gone',
  /** The provider will end the rent. */
  'scheduled',
  /** The provider reports an error or a lock. */
  'faulty',
  /** The disk is being wiped. */
  'wiping',
  /** A wipe was cut off and no longer runs. */
  'half-wiped',
  /** The server is not usable at the moment. */
  'busy',
  'ready',
] as const;
export type ObservedState = (typeof seenOfHosts)[number];

/** `known`: the name is that of a machine, of the last owner of the host, or in the order. */
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

/** A machine names a clean host in its annotation before it claims the host. Until the claim, the host is free. */
function isSpokenFor({ spec }: HostRecord, { speakers }: Ownership): boolean {
  const isClean = spec.claim === undefined && spec.used !== true;
  const isIntent = ({ by }: Speaker): boolean => by.length === 1 && by[0] === 'annotation';
  return speakers.some((speaker) => !isClean || !isIntent(speaker));
}

/** A live machine speaks for the host, and the order does not take precedence over that machine. */
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

/** Classifies the server name. The claimant's name comes first, because a machine may have any name. */
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
 * Muster returns a server to the pool under a pool prefix and the server's id. When the prefix is no longer in use,
 * the order or the MacHost still records it. The id alone proves nothing: people and other clusters also end names
 * with it.
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

/** A live machine has the name, or the record of the host contains it. */
function isNameOfMachine(name: string, spec: HostSpec, ownership: Ownership): boolean {
  if (ownership.isMachineName) return true;
  return name !== '' && [lastOwnerOf(spec)?.name, spec.release?.serverName].includes(name);
}

/** The server had no pending name when the order was written, so another manager is adopting it now. */
function isAdoptedSince(release: HostSpec['release']): boolean {
  return release?.serverName !== undefined && !isClaimPendingName(release.serverName);
}

/**
 * Whether a person or another manager gave the server its name. Without an order, a name with the claim prefix counts
 * as a machine name. With an order, it counts as a person's: who renames a host during its release wants to keep it.
 * Orders written by hand record no name, so they are exempt.
 */
export function isNamedByPerson(name: NameClass, { spec: { release } }: HostRecord): boolean {
  if (name === 'pending') return isAdoptedSince(release);
  if (name !== 'claim-style') return name === 'other';
  const isWrittenByHand = release?.machineUid === undefined && release?.serverName === undefined;
  return release !== undefined && !isWrittenByHand;
}
