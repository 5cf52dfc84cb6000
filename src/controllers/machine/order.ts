/** What a machine that goes writes on its host: the order to release it, or a note that it was left running. */
import { annotations } from '../../api/annotations.ts';
import type { MachineObject } from '../../fleet/objects.ts';
import { releaseOf } from '../../fleet/release-policy.ts';

interface HostPatch {
  readonly used: true;
  readonly claim?: null;
  readonly release?: object;
  readonly annotations?: Readonly<Record<string, string>>;
}

/** From what is stored: a policy that was taken back must not end a rent. */
export function orderFor(
  { metadata, spec }: MachineObject,
  { at, defaultPoolPrefix }: { readonly at: string; readonly defaultPoolPrefix: string },
): HostPatch {
  const release = releaseOf({
    annotations: metadata.annotations ?? {},
    poolPrefix: spec?.adoptPoolPrefix,
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
