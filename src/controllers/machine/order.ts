/** What a machine that leaves writes on its host: an order to give it up, or that nobody holds it any more. */
import { annotations } from '../../api/annotations.ts';
import type { MacHostObject, MachineObject } from '../../fleet/objects.ts';
import { soundPrefix } from '../../fleet/pool-prefix.ts';
import { releaseOf, type Release } from '../../fleet/release-policy.ts';
import { isCalledForIt, type PoolRules } from './wish.ts';

export interface HostPatch {
  readonly used: true;
  readonly claim?: null;
  readonly release?: object;
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
      annotations: { [annotations.releaseSkipped.key]: `${metadata.uid} ${at}` },
    };
  const prefix = release.kind === 'pool' ? { poolPrefix: release.poolPrefix } : {};
  const order = {
    policy: release.kind,
    orderedBy: 'machine',
    orderedAt: at,
    osFamily: spec?.os ?? '',
    ...prefix,
  };
  return { release: order, used: true };
}
