/** Removes a profile of an account. Its jobs keep their pool and label. */
import { profileName } from '../profile-rules.ts';
import type { Tx } from './transaction.ts';

export async function removeProfile(
  tx: Tx,
  accountId: string,
  typed: string,
): Promise<'changed' | 'unchanged' | 'protected'> {
  const name = profileName(typed);
  const { numDeletedRows } = await tx
    .deleteFrom('profiles')
    .where('account_id', '=', accountId)
    .where('name', '=', name)
    .where('is_protected', '=', false)
    .executeTakeFirstOrThrow();
  if (numDeletedRows > 0n) return 'changed';
  const left = await tx
    .selectFrom('profiles')
    .select('is_protected')
    .where('account_id', '=', accountId)
    .where('name', '=', name)
    .executeTakeFirst();
  return left?.is_protected === true ? 'protected' : 'unchanged';
}
