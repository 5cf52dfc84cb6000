/** Whether a host is wiped to another release family than its order asks for: whoever waits for that family wants to know. */
import type { HostRecord, HostStatus } from './host-record.ts';
import { isOfFamily } from './os-families.ts';

/** For people; undefined when it is wiped to what was asked for, or nothing was, or nobody knows yet. */
export function otherFamilyOf({ spec, status }: Pick<HostRecord, 'spec' | 'status'>): string | undefined {
  const { release } = spec;
  const { wipe } = status;
  if (release === undefined || wipe === undefined || wipe.order !== release.orderedAt) return undefined;
  if (wipe.missingFamily !== undefined)
    return `no image of ${wipe.missingFamily} is on offer, so it is wiped to the default of its type`;
  return wipe.completedAt === undefined ? undefined : otherThan(release.osFamily ?? '', status);
}

function otherThan(family: string, { observed }: HostStatus): string | undefined {
  const { os } = observed ?? {};
  if (family === '' || os === undefined || isOfFamily(os, family)) return undefined;
  return `${family} was asked for, and it was wiped to ${os.name ?? os.family}`;
}
