/**
 * Who owns a host: one value for each host, computed from its MacHost and the existing machines. Every decision that
 * could wipe a host, rename its server or end its rent uses this value alone.
 */
import { isDeleting } from '../../kube/client/kube-object.ts';
import { annotations } from '../../api/names/annotations.ts';
import { finalizers } from '../../api/names/finalizers.ts';
import { isClaimPendingName } from '../../api/names/host-names.ts';
import type { speaksByList } from '../../api/kinds/mac-host.ts';
import { serverIdIn } from '../../api/names/provider-id.ts';
import {
  serverNameOf,
  type Claim,
  type HostRecord,
  type HostSpec,
  type ReleaseOrder,
} from './host-record.ts';
import { hadServerId, type MachineObject } from './objects.ts';

export type SpeaksBy = (typeof speaksByList)[number];

/** An existing machine that names the host or has the name of its server. Paused and deleting machines count. */
export interface Speaker {
  readonly namespace: string;
  readonly name: string;
  readonly uid: string;
  readonly isDeleting: boolean;
  readonly createdAt: number;
  readonly by: readonly SpeaksBy[];
  /** The machine has the name of the server and names no host at all. */
  readonly isNameOnly: boolean;
  /** The machine names the host in its annotation alone, and was never bound to a host. */
  readonly isIntentOnly: boolean;
}

export interface Ownership {
  /** The machine that the claim of the MacHost names, by uid. */
  readonly claimant: 'none' | 'missing' | 'deleting' | 'live';
  readonly speakers: readonly Speaker[];
  /** A live machine has the name of the server, even if it may not speak for the host. */
  readonly isMachineName: boolean;
  /** The server carries a pending name: this manager or an older one is adopting it. */
  readonly midAdoption: boolean;
  readonly heldBy: HostSpec['hold'];
}

/** `machines`: at least all that could speak for the host. Others do no harm. */
export function ownershipOf(host: HostRecord, machines: readonly MachineObject[]): Ownership {
  const name = serverNameOf(host);
  const speakers = withoutForeignNamesakes(machines.flatMap((machine) => speakerFor(host, machine) ?? []));
  return {
    claimant: claimantOf(host, speakers),
    speakers,
    isMachineName: name !== '' && machines.some(({ metadata }) => metadata.name === name),
    midAdoption: isClaimPendingName(name),
    heldBy: host.spec.hold,
  };
}

/** A machine bound to the host silences a namesake in another namespace that speaks by its name alone. */
function withoutForeignNamesakes(speakers: readonly Speaker[]): readonly Speaker[] {
  const served = speakers.filter(({ by }) => by.includes('serverID'));
  return speakers.filter(
    ({ by, name, namespace }) =>
      by.length !== 1 ||
      by[0] !== 'name' ||
      !served.some((one) => one.name === name && one.namespace !== namespace),
  );
}

function claimantOf({ spec }: HostRecord, speakers: readonly Speaker[]): Ownership['claimant'] {
  if (spec.claim === undefined) return 'none';
  const claimant = claimantIn(speakers);
  if (claimant === undefined) return 'missing';
  return claimant.isDeleting ? 'deleting' : 'live';
}

/** The machine that holds the claim, if it exists. */
export function claimantIn(speakers: readonly Speaker[]): Speaker | undefined {
  return speakers.find(({ by }) => by.includes('claim'));
}

function speakerFor(host: HostRecord, machine: MachineObject): Speaker | undefined {
  const { metadata } = machine;
  const by = waysToSpeak(host, machine);
  if (by.length === 0 || isSilent(host, machine, by)) return undefined;
  if (hasGivenUp(machine, host)) return undefined;
  return {
    namespace: metadata.namespace ?? '',
    name: metadata.name,
    uid: metadata.uid,
    isDeleting: isDeleting(machine),
    createdAt: Date.parse(metadata.creationTimestamp ?? ''),
    by,
    ...lesserWord(machine, by),
  };
}

function lesserWord(
  machine: MachineObject,
  by: readonly SpeaksBy[],
): Pick<Speaker, 'isNameOnly' | 'isIntentOnly'> {
  const named = hostIdsIn(machine).length;
  const only = by.length === 1 ? by[0] : undefined;
  return {
    isNameOnly: only === 'name' && named === 0,
    isIntentOnly: only === 'annotation' && named === 1 && !hadServerId(machine),
  };
}

function waysToSpeak(host: HostRecord, machine: MachineObject) {
  const { id, spec } = host;
  const { metadata, spec: wanted, status } = machine;
  const speaks: Readonly<Record<SpeaksBy, boolean>> = {
    claim: spec.claim?.uid === metadata.uid,
    name: serverNameOf(host) === metadata.name,
    serverID: status?.serverID === id,
    providerID: serverIdIn(wanted?.providerID ?? '') === id,
    annotation: metadata.annotations?.[annotations.host.key] === id,
  };
  const all: readonly SpeaksBy[] = ['claim', 'name', 'serverID', 'providerID', 'annotation'];
  return all.filter((way) => speaks[way]);
}

/** A claim recorded for another namespace silences a machine that speaks by its name alone. */
function isSilent({ spec }: HostRecord, { metadata }: MachineObject, by: readonly SpeaksBy[]): boolean {
  const recorded = lastOwnerOf(spec);
  if (recorded === undefined || by.length !== 1 || by[0] !== 'name') return false;
  return recorded.namespace !== (metadata.namespace ?? '');
}

/**
 * The machine is being deleted, its order was carried out, and our finalizer is off: only finalizers of others keep
 * the object. The record of the host shows a wipe and no owner since, or a later owner.
 */
export function hasGivenUp(machine: MachineObject, host: HostRecord): boolean {
  const { name, uid, finalizers: kept = [] } = machine.metadata;
  if (!isDeleting(machine) || kept.includes(finalizers.machine.key)) return false;
  if (isOnRecord(host.spec, uid) || serverNameOf(host) === name) return false;
  const { lastOwner, used } = host.spec;
  const { installEpoch = 0 } = host.status;
  return lastOwner !== undefined || (used !== true && installEpoch > 0);
}

function isOnRecord({ claim, lastOwner, release, hold }: HostSpec, uid: string): boolean {
  return [claim?.uid, lastOwner?.uid, release?.machineUid, hold?.machineUid].some((one) => one === uid);
}

/** Every host that a machine names, whatever the claims say. */
export function hostIdsIn({ metadata, spec, status }: MachineObject): readonly string[] {
  const named = [
    metadata.annotations?.[annotations.host.key] ?? '',
    status?.serverID ?? '',
    serverIdIn(spec?.providerID ?? '') ?? '',
  ];
  return [...new Set(named.filter((id) => id !== ''))];
}

/** MacHosts of earlier versions have no record of their last owner; their claim is the record. */
export function lastOwnerOf({ claim, lastOwner }: HostSpec): Claim | undefined {
  return claim ?? lastOwner;
}

/** The machines that object to the order. An order with an objector is dropped. */
export function objectorsTo(
  order: ReleaseOrder,
  { spec }: HostRecord,
  { speakers }: Ownership,
): readonly Speaker[] {
  // mutation: later-namesake-does-not-object
  return speakers.filter(
    (speaker) =>
      !hasOrdered(speaker, order) &&
      !isLaterNamesake(speaker, order, spec) &&
      !isMereIntent(speaker, order, spec) &&
      !isOverruled(speaker, order),
  );
}

/** The order of the last owner takes precedence over the annotation of a machine that was never bound to the host. */
function isMereIntent(
  { uid, isIntentOnly }: Speaker,
  { machineUid }: ReleaseOrder,
  { lastOwner, claim }: HostSpec,
): boolean {
  if (!isIntentOnly || machineUid === undefined || uid === machineUid) return false;
  // mutation: intent-does-not-object-to-owner
  return [lastOwner, claim].some((owner) => owner?.uid === machineUid) && lastOwner?.uid !== uid;
}

/** A machine that is being deleted orders the release of its own host. */
function hasOrdered(speaker: Speaker, { machineUid }: ReleaseOrder): boolean {
  return speaker.isDeleting && speaker.uid === machineUid;
}

/** Kubernetes truncates timestamps to the second. */
const timestampStepMs = 1000;

/**
 * The order of the last owner takes precedence over a machine that has the name of the server, never had a host, and
 * was created after the order. A machine with the namespace and name of the last owner was created later: names are
 * unique.
 */
export function isLaterNamesake(
  { uid, name, namespace, isNameOnly, createdAt }: Speaker,
  { machineUid, orderedAt }: ReleaseOrder,
  { lastOwner, claim }: HostSpec,
): boolean {
  if (!isNameOnly || machineUid === undefined || uid === machineUid) return false;
  const isSuccessor = [lastOwner, claim].some(
    (owner) => owner?.uid === machineUid && owner.name === name && owner.namespace === namespace,
  );
  return isSuccessor || createdAt + timestampStepMs > Date.parse(orderedAt);
}

/** An operator's forced order overrules only the claims to the host that it lists. */
function isOverruled({ uid, by }: Speaker, { overrules = [] }: ReleaseOrder): boolean {
  const overruled = overrules.find((one) => one.uid === uid)?.by ?? [];
  return by.every((way) => overruled.includes(way));
}

/** The machines and their ways to speak that a forced order overrules. */
export function overrulingOf(speakers: readonly Speaker[]): { uid: string; by: SpeaksBy[] }[] {
  return speakers.map(({ uid, by }) => ({ uid, by: [...by] }));
}
