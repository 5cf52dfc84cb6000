/** Writes a profile. Locks the account, so that two concurrent additions cannot exceed the limit. */
import { decidePut, type ProfileRefusal } from '../profile-rules.ts';
import type { ProfileDraft } from '../rows.ts';
import { profiles } from './reads.ts';
import { profileRow } from './row-shapes.ts';
import type { Tx } from './transaction.ts';

export async function putProfile(
  tx: Tx,
  draft: ProfileDraft,
): Promise<'changed' | 'unchanged' | ProfileRefusal> {
  const { accountId } = draft;
  const account = await tx
    .selectFrom('accounts')
    .select('id')
    .where('id', '=', accountId)
    // NO KEY UPDATE: webhooks insert jobs that reference the account and must not wait.
    .forNoKeyUpdate()
    .executeTakeFirst();
  if (account === undefined) return 'no_account';
  const decision = decidePut(await profiles(tx, accountId), draft);
  if (decision.kind === 'refused') return decision.why;
  if (decision.kind === 'unchanged') return 'unchanged';
  const row = profileRow(decision.profile);
  await tx
    .insertInto('profiles')
    .values(row)
    .onConflict((known) =>
      known.columns(['account_id', 'name']).doUpdateSet({ vcpus: row.vcpus, memory_gb: row.memory_gb }),
    )
    .execute();
  return 'changed';
}
