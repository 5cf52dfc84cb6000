/** Which GitHub accounts are accepted when they install the App: anyone can install a public App. */
import { list } from '../../platform/settings/parsers.ts';
import { WrongValue, type Parser } from '../../platform/settings/setting.ts';
import type { Account } from '../store/rows.ts';

/** Accepts any account; must be given explicitly. */
export const anyAccount = '*';

const allowedAccount: Parser<string> = {
  placeholder: 'account',
  expects: 'the login of an account at GitHub, its id as id:4711, or * for anybody',
  parse: (given) => {
    if (given !== anyAccount && !/^(id:[1-9]\d{0,18}|[a-z\d][\w-]{0,99})$/i.test(given))
      throw new WrongValue('that is not an account');
    return given;
  },
};

export const allowedAccounts: Parser<readonly string[]> = {
  ...list(allowedAccount),
  placeholder: 'accounts',
};

/** GitHub compares logins case-insensitively. */
export function isAllowed({ id, login }: Account, allowed: readonly string[]): boolean {
  const names: ReadonlySet<string> = new Set([anyAccount, `id:${id}`, login.toLowerCase()]);
  return allowed.some((entry) => names.has(entry.toLowerCase()));
}
