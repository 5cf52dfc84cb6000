/**
 * Finds the leading manager by its Lease. Without the right to read Leases the leader is unknown, and the rest still
 * works.
 */
import { isFleetError } from '../../platform/errors/fleet-error.ts';
import { leases, type Lease } from '../../kube/client/builtin-resources.ts';
import type { Cluster } from './cluster.ts';

export type Leader =
  | { readonly kind: 'leads'; readonly who: string; readonly heard: string }
  | { readonly kind: 'none'; readonly why: string }
  | { readonly kind: 'unknown'; readonly why: string };

const leaseName = 'muster-manager';

export async function findLeader(cluster: Cluster): Promise<Leader> {
  try {
    const found = await cluster.list(leases, { fieldSelector: `metadata.name=${leaseName}` });
    return leaderIn(found, cluster.now());
  } catch (error) {
    if (!isFleetError(error, 'rejected')) throw error;
    return { kind: 'unknown', why: error.message };
  }
}

/** The Lease may be in any namespace; of several Leases the last renewed counts. */
function leaderIn(found: readonly Lease[], now: number): Leader {
  const [lease] = found.toSorted((one, other) => renewedAt(other) - renewedAt(one));
  if (lease === undefined) return { kind: 'none', why: `there is no Lease ${leaseName}` };
  const { holderIdentity: who = '', renewTime: heard = '', leaseDurationSeconds = 0 } = lease.spec ?? {};
  if (who === '') return { kind: 'none', why: `the Lease ${leaseName} has no holder` };
  if (now - renewedAt(lease) > leaseDurationSeconds * 1000)
    return { kind: 'none', why: `${who} has not renewed the Lease ${leaseName} since ${heard}` };
  return { kind: 'leads', who, heard };
}

function renewedAt({ spec }: Lease): number {
  return spec?.renewTime === undefined ? 0 : Date.parse(spec.renewTime);
}
