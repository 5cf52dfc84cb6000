/** What a machine that leaves writes on its host: an order to give it up, or that nobody holds it any more. */
import { annotations } from '../../api/annotations.ts';
import { hostsOf, type MacHostObject, type MachineObject } from '../../fleet/objects.ts';
import { soundPrefix } from '../../fleet/pool-prefix.ts';
import { releaseOf, type Release } from '../../fleet/release-policy.ts';
import { otherClaimOn } from './recall.ts';
import { isCalledForIt, type PoolRules } from './wish.ts';

export interface HostPatch {
  readonly used: true;
  readonly claim?: null;
  readonly release?: object | null;
  readonly annotations?: Readonly<Record<string, string>>;
}

export interface Circumstances {
  readonly at: string;
  readonly release: Release;
  /** Other machines that stay say that they have the host. */
  readonly isShared: boolean;
}

/** A host that nobody claims, under a name of somebody else, is left as it is: that it was ours is only said. */
export function releaseFor(host: MacHostObject, machine: MachineObject, rules: PoolRules): Release {
  const isStrange = host.spec?.claim === undefined && isCalledForIt(host, machine, rules) === false;
  if (isStrange) return { kind: 'skip' };
  return releaseOf({
    annotations: machine.metadata.annotations ?? {},
    poolPrefix: soundPrefix(machine.spec?.adoptPoolPrefix, rules),
    defaultPoolPrefix: rules.defaultPoolPrefix,
  });
}

/** From what is stored: a policy that was taken back must not end a rent. */
export function orderOf({ metadata, spec }: MachineObject, circumstances: Circumstances): HostPatch {
  const { at, release, isShared } = circumstances;
  if (isShared) return { claim: null, used: true };
  if (release.kind === 'skip')
    return {
      claim: null,
      used: true,
      // Of somebody else, from while it was in use.
      release: null,
      annotations: { [annotations.releaseSkipped.key]: `${metadata.uid} ${at}` },
    };
  const prefix = release.kind === 'pool' ? { poolPrefix: release.poolPrefix } : {};
  const order = {
    policy: release.kind,
    orderedBy: 'machine',
    machineUid: metadata.uid,
    orderedAt: at,
    osFamily: spec?.os ?? '',
    ...prefix,
  };
  return { release: order, used: true };
}

/**
 * A host with a claim of this machine, or that it alone was served by and nobody claims; and no order of its own yet. What
 * somebody else ordered while it had the host is written over.
 */
export function isGivenUpBy(host: MacHostObject, machine: MachineObject, isShared: boolean): boolean {
  const { metadata, spec } = host;
  if (wasSkipped(metadata, machine) || isOrdered(metadata.name, spec, machine)) return false;
  if (spec?.claim?.uid === machine.metadata.uid) return true;
  if (otherClaimOn(host, machine) !== undefined) return false;
  return !isShared && machine.status?.serverID === metadata.name;
}

/** By this machine; or by whoever detached it from the host; or, where nobody has a claim, by another machine that left. */
function isOrdered(hostId: string, spec: MacHostObject['spec'], machine: MachineObject): boolean {
  const { release, claim } = spec ?? {};
  if (release === undefined) return false;
  if (release.machineUid === machine.metadata.uid || !hostsOf(machine).includes(hostId)) return true;
  return claim === undefined && release.machineUid !== undefined;
}

/** It was left running on purpose, and that was written down. */
function wasSkipped({ annotations: marks = {} }: MacHostObject['metadata'], machine: MachineObject): boolean {
  return marks[annotations.releaseSkipped.key]?.startsWith(machine.metadata.uid) === true;
}
