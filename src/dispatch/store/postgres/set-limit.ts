/**
 * Sets the budget of an account on a platform. A budget below
 * the current usage ends nothing; it only admits no new jobs.
 */
import type { Limit } from '../rows.ts';
import type { Tx } from './transaction.ts';

export async function setLimit(tx: Tx, { accountId, platform, vcpus, memoryGb }: Limit): Promise<void> {
  await tx
    .insertInto('limits')
    .values({ account_id: accountId, platform, vcpus, memory_gb: memoryGb })
    .onConflict((known) =>
      known.columns(['account_id', 'platform']).doUpdateSet({ vcpus, memory_gb: memoryGb }),
    )
    .execute();
}
