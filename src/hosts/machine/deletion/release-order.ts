/** The patch that a deleted machine writes on its host: a release order, or the end of its claim. */
import { annotations } from '../../../api/names/annotations.ts';
import { hostsOf, type MacHostObject, type MachineObject } from '../../state/objects.ts';
import { soundPrefix } from '../../state/pool-prefix.ts';
import { releaseOf, type Release } from '../../state/release-policy.ts';
import { overrulingOf, type Speaker } from '../../state/ownership.ts';
import { isClearedHost } from '../hold/operator-hold.ts';
import { otherClaimOn } from '../binding/restore-binding.ts';
import { serverNameMatches, type PoolRules } from '../adoption/host-requirements.ts';

export interface HostPatch {
  readonly used: true;
  readonly claim?: null;
  readonly lastOwner?: Readonly<Record<'namespace' | 'name' | 'uid', string>>;
  readonly release?: object | null;
  readonly personName?: string;
  readonly annotations?: Readonly<Record<string, string>>;
}

export interface Circumstances {
  readonly at: string;
  readonly host: MacHostObject;
  readonly release: Release;
  /** Other live machines speak for the host. */
  readonly isShared: boolean;
  /** A person gave the server its name. */
  readonly isNamedByPerson: boolean;
  /** Other deleted machines that speak for the host: they release it, too. */
  readonly leaving: readonly Speaker[];
}

/** A host without a claim, under the name of another machine, is not released: the machine's status may be wrong. */
export function releaseFor(host: MacHostObject, machine: MachineObject, rules: PoolRules): Release {
  const isStrange = host.spec?.claim === undefined && serverNameMatches(host, machine, rules) === false;
  // mutation: skip-release-of-unbound-host
  if (isStrange) return { kind: 'skip' };
  return releaseOf({
    annotations: machine.metadata.annotations ?? {},
    poolPrefix: soundPrefix(machine.spec?.adoptPoolPrefix, rules),
    defaultPoolPrefix: rules.defaultPoolPrefix,
  });
}

/** From the stored machine: a withdrawn terminate policy must not end a rent. */
export function releaseOrderOf({ metadata, spec }: MachineObject, circumstances: Circumstances): HostPatch {
  const { at, host, release, isShared, isNamedByPerson, leaving } = circumstances;
  const { namespace = '', name, uid } = metadata;
  // Without a claim, only this record shows whose name the server carries.
  const left: HostPatch = { used: true, lastOwner: { namespace, name, uid } };
  // mutation: drop-claim-of-shared-host
  if (isShared) return { ...left, claim: null };
  if (isNamedByPerson)
    return { ...left, claim: null, release: null, personName: host.status?.observed?.name ?? '' };
  if (release.kind === 'skip')
    return {
      ...left,
      claim: null,
      // Clears an order of another author that was written while the host was in use.
      release: null,
      annotations: { [annotations.releaseSkipped.key]: `${uid} ${at}` },
    };
  const order = {
    ...policyOf(release),
    orderedBy: 'machine',
    machineUid: uid,
    orderedAt: at,
    osFamily: spec?.os ?? '',
    // A merge patch would keep the field of an earlier order.
    serverName: null,
    overrules: overruledBy(leaving),
  };
  return { ...left, release: order };
}

function overruledBy(leaving: readonly Speaker[]): object | null {
  return leaving.length > 0 ? overrulingOf(leaving) : null;
}

function policyOf(release: Exclude<Release, { kind: 'skip' }>): object {
  return release.kind === 'pool'
    ? { policy: release.kind, poolPrefix: release.poolPrefix }
    : { policy: release.kind };
}

/**
 * A host that this machine claims, or to which it alone is bound without any claim, and without its order. An order
 * that another author wrote while the machine had the host is overwritten.
 */
export function mustRelease(host: MacHostObject, machine: MachineObject, isShared: boolean): boolean {
  const { metadata, spec } = host;
  // mutation: cleared-host-is-not-given-up
  if (isClearedHost(host, machine)) return false;
  if (wasLeft(host, machine) || isOrdered(metadata.name, spec, machine)) return false;
  if (spec?.claim?.uid === machine.metadata.uid) return true;
  if (otherClaimOn(host, machine) !== undefined) return false;
  // mutation: shared-host-is-not-given-up
  return !isShared && machine.status?.serverID === metadata.name;
}

/**
 * Ordered by this machine, by the operator who detached it, or, on a host without a claim, by another deleted
 * machine.
 */
function isOrdered(hostId: string, spec: MacHostObject['spec'], machine: MachineObject): boolean {
  const { release, claim } = spec ?? {};
  // mutation: machine-order-replaces-earlier
  if (release === undefined) return false;
  if (release.machineUid === machine.metadata.uid || !hostsOf(machine).includes(hostId)) return true;
  return claim === undefined && release.machineUid !== undefined;
}

/** The machine left the host running, to a person or for want of a pool, and recorded that. */
function wasLeft({ metadata, spec }: MacHostObject, machine: MachineObject): boolean {
  const { uid } = machine.metadata;
  if (metadata.annotations?.[annotations.releaseSkipped.key]?.startsWith(uid) === true) return true;
  return spec?.claim === undefined && spec?.personName !== undefined && spec.lastOwner?.uid === uid;
}
