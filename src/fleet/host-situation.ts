/**
 * A host in the words in which decisions are made: what is wanted of it, by the object that stands for it, and what was
 * seen of it at the provider. Everything here is a function of its input.
 */
import { isClaimPendingName, isClaimStyleName, isPoolName } from '../api/host-names.ts';
import type { MacHost } from '../api/mac-host.ts';

export type HostSpec = NonNullable<MacHost['spec']>;
export type HostStatus = NonNullable<MacHost['status']>;
export type Claim = NonNullable<HostSpec['claim']>;
export type ReleaseOrder = NonNullable<HostSpec['release']>;

/** The part of a MacHost that decides. */
export interface HostRecord {
  readonly id: string;
  readonly spec: HostSpec;
  readonly status: HostStatus;
}

export interface FleetView {
  /** Whether the machine that a claim names, by uid, exists and means this host. */
  readonly isLive: (claim: Claim, hostId: string) => boolean;
  /** As `isLive`, and the machine is not being deleted. */
  readonly isStaying: (claim: Claim, hostId: string) => boolean;
  /** Whether that machine was served by this host: it says so in its status. */
  readonly isBound: (claim: Claim, hostId: string) => boolean;
  /** Whether any machine that is not being deleted says in its status that it is served by this host, whatever the claim says. */
  readonly isServing: (hostId: string) => boolean;
  /** As `isServing`, and that machine means this host: not only its status says so, which anybody may have written. */
  readonly isHome: (hostId: string) => boolean;
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
  /** A machine holds it that does not exist any more. */
  'abandoned',
  /** It is to be wiped and offered again. */
  'release',
  /** Its rent is to be ended. */
  'terminate',
] as const;
export type Wanted = (typeof wantedOfHosts)[number];

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
export type Seen = (typeof seenOfHosts)[number];

export type NameClass = 'own' | 'pool' | 'pending' | 'claim-style' | 'other';

/** A word of ours among those of the provider: an inventory wrote it when the server was gone for good. */
export const goneStatus = 'gone';

const faultyStatuses: ReadonlySet<string> = new Set(['error', 'locked', 'locking']);

export function wantedOf(host: HostRecord, view: FleetView): Wanted {
  const { id, spec } = host;
  const { isLive } = view;
  if (spec.hold !== undefined) return 'held';
  if (spec.release !== undefined && !isOrderRefused(host, view))
    return spec.release.policy === 'terminate' ? 'terminate' : 'release';
  if (spec.claim !== undefined) return isLive(spec.claim, id) ? 'owned' : 'abandoned';
  return spec.used === true ? 'unowned' : 'free';
}

/**
 * Whoever may write to a MacHost could otherwise wipe the disk under a machine that lives, and nothing brings it back. The claim
 * alone does not tell: it may have been taken off, or be that of a backup. A machine that leaves has its own idea of what
 * becomes of its host, and until it has written that down nobody else's counts.
 */
export function isOrderRefused({ id, spec }: HostRecord, view: FleetView): boolean {
  const { release, claim } = spec;
  if (release === undefined) return false;
  if (view.isServing(id)) return true;
  if (claim === undefined || !view.isLive(claim, id)) return false;
  return view.isStaying(claim, id) || release.machineUid !== claim.uid;
}

export function seenOf({ status }: HostRecord): Seen {
  const { observed } = status;
  if (observed?.status === undefined) return 'unseen';
  if (observed.status === goneStatus) return 'gone';
  if (observed.deletionScheduled === true) return 'scheduled';
  if (faultyStatuses.has(observed.status)) return 'faulty';
  if (observed.status === 'reinstalling') return 'wiping';
  if (observed.status === 'interrupted') return 'half-wiped';
  return observed.status === 'ready' && observed.delivered === true ? 'ready' : 'busy';
}

/** What the name at the provider says. Its own name comes first: a machine may be called like anything. */
export function nameClassOf({ id, spec, status }: HostRecord, view: FleetView): NameClass {
  const name = status.observed?.name ?? '';
  if (spec.claim !== undefined && name === spec.claim.name) return 'own';
  if (isClaimPendingName(name)) return 'pending';
  // So we name what we offer, under whatever prefix it was ordered; that prefix may be nobody's by now.
  if (name.length > id.length && name.endsWith(id)) return 'pool';
  if (view.poolPrefixes.some((prefix) => isPoolName(name, prefix))) return 'pool';
  return isClaimStyleName(name, view.claimPrefix) ? 'claim-style' : 'other';
}
