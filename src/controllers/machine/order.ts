/** What a machine that leaves writes on its host: an order to give it up, or that nobody holds it any more. */
import { annotations } from '../../api/annotations.ts';
import type { MachineObject } from '../../fleet/objects.ts';
import { soundPrefix } from '../../fleet/pool-prefix.ts';
import { releaseOf } from '../../fleet/release-policy.ts';

export interface HostPatch {
  readonly used: true;
  readonly claim?: null;
  readonly release?: object;
  readonly annotations?: Readonly<Record<string, string>>;
}

export interface Circumstances {
  readonly at: string;
  readonly defaultPoolPrefix: string;
  readonly claimPrefix: string;
  /** Other machines that stay say that they have the host. */
  readonly isShared: boolean;
}

/** From what is stored: a policy that was taken back must not end a rent. */
export function orderOf({ metadata, spec }: MachineObject, circumstances: Circumstances): HostPatch {
  const { at, defaultPoolPrefix, claimPrefix, isShared } = circumstances;
  if (isShared) return { claim: null, used: true };
  const release = releaseOf({
    annotations: metadata.annotations ?? {},
    poolPrefix: soundPrefix(spec?.adoptPoolPrefix, claimPrefix),
    defaultPoolPrefix,
  });
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
