/** A profile of an account. Its account is locked, so that two who add the last one take turns at counting. */
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
    // Not so strongly that webhooks, whose jobs refer to it, would wait.
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
