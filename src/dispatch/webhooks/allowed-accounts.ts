/** Which accounts at GitHub may become known by installing the App: anybody can install a public one. */
import { list } from '../../platform/settings/parsers.ts';
import { WrongValue, type Parser } from '../../platform/settings/setting.ts';
import type { Account } from '../store/rows.ts';

/** Everybody: to be written out. */
export const anyAccount = '*';

const allowedAccount: Parser<string> = {
  placeholder: 'account',
  expects: 'the login of an account at GitHub, its id as id:4711, or * for anybody',
  parse: (given) => {
    if (given !== anyAccount && !/^(id:[1-9]\d{0,18}|[a-z\d][\w-]{0,99})$/i.test(given))
      throw new WrongValue('it is no such account');
    return given;
  },
};

export const allowedAccounts: Parser<readonly string[]> = {
  ...list(allowedAccount),
  placeholder: 'accounts',
};

/** GitHub compares logins without regard to case. */
export function isAllowed({ id, login }: Account, allowed: readonly string[]): boolean {
  const names: ReadonlySet<string> = new Set([anyAccount, `id:${id}`, login.toLowerCase()]);
  return allowed.some((entry) => names.has(entry.toLowerCase()));
}
