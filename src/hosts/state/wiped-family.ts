/** Whether a host is wiped to another release family than its order requests. A machine may wait for that family. */
import type { HostRecord, HostStatus } from './host-record.ts';
import { isOfFamily } from './os-families.ts';

/** The message; undefined if the family matches, none was requested, or the installed one is unknown. */
export function otherFamilyOf({ spec, status }: Pick<HostRecord, 'spec' | 'status'>): string | undefined {
  const { release } = spec;
  const { wipe } = status;
  if (release === undefined || wipe === undefined || wipe.order !== release.orderedAt) return undefined;
  if (wipe.missingFamily !== undefined)
    return `no image of ${wipe.missingFamily} is on offer, so the host is wiped to the default of its type`;
  return wipe.completedAt === undefined ? undefined : otherThan(release.osFamily ?? '', status);
}

function otherThan(family: string, { observed }: HostStatus): string | undefined {
  const { os } = observed ?? {};
  if (family === '' || os === undefined || isOfFamily(os, family)) return undefined;
  return `${family} was requested, but the host was wiped to ${os.name ?? os.family}`;
}
