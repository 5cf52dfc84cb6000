/** From what somebody types to the one account that is meant. Two may have the same login, and then nothing is guessed. */
import type { Account } from '../../dispatch/store/rows.ts';

/** Before an id, where a login could be meant: a login may be a number, too. */
const idPrefix = 'id:';

export function accountCalled(accounts: readonly Account[], typed: string): Account {
  const found = typed.startsWith(idPrefix)
    ? accounts.filter(({ id }) => id === typed.slice(idPrefix.length))
    : accounts.filter((account) => account.id === typed || hasLogin(account, typed));
  const [only] = found;
  if (only === undefined) throw new Error(`there is no account ${typed}; see muster accounts`);
  if (found.length === 1) return only;
  const each = found.map((account) => `${idPrefix}${account.id} is ${account.login}`).join(', ');
  throw new Error(`${typed} means ${found.length} accounts: ${each}; say which one by its id`);
}

/** GitHub does not tell logins apart by case. */
export function hasLogin({ login }: Account, typed: string): boolean {
  return login.toLowerCase() === typed.toLowerCase();
}

export function accountText({ login, id }: Account): string {
  return `${login} (${id})`;
}
