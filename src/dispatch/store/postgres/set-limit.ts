/** The budget of an account on a platform. Lowering it below what is in use ends nothing; it only admits nothing new. */
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
