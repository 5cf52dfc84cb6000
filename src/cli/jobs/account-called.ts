/** Finds the account that the typed text names. Two accounts may have the same login; an ambiguous text is an error. */
import type { Account } from '../../dispatch/store/rows.ts';

/** Marks an id, because a login may be a number, too. */
const idPrefix = 'id:';

export function accountCalled(accounts: readonly Account[], typed: string): Account {
  const found = typed.startsWith(idPrefix)
    ? accounts.filter(({ id }) => id === typed.slice(idPrefix.length))
    : accounts.filter((account) => account.id === typed || hasLogin(account, typed));
  const [only] = found;
  if (only === undefined) throw new Error(`there is no account ${typed}; see muster accounts`);
  if (found.length === 1) return only;
  const each = found.map((account) => `${idPrefix}${account.id} is ${account.login}`).join(', ');
  throw new Error(`${typed} means ${found.length} accounts: ${each}; name the account by its id`);
}

/** Logins at GitHub are case-insensitive. */
export function hasLogin({ login }: Account, typed: string): boolean {
  return login.toLowerCase() === typed.toLowerCase();
}

export function accountText({ login, id }: Account): string {
  return `${login} (${id})`;
}
