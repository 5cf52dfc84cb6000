/** Profiles of accounts in the model in memory. */
import { decidePut, firstProfile, profileName, type ProfileRefusal } from '../profile-rules.ts';
import type { Profile, ProfileDraft, Size } from '../rows.ts';
import type { Tables } from './tables.ts';

export function profiles(tables: Tables, of: string): readonly Profile[] {
  return [...tables.profiles.values()]
    .filter(({ accountId }) => accountId === of)
    .toSorted((a, b) => (a.name < b.name ? -1 : 1));
}

export function putProfile(tables: Tables, draft: ProfileDraft): 'changed' | 'unchanged' | ProfileRefusal {
  if (!tables.accounts.has(draft.accountId)) return 'no_account';
  const decision = decidePut(profiles(tables, draft.accountId), draft);
  if (decision.kind === 'refused') return decision.why;
  if (decision.kind === 'unchanged') return 'unchanged';
  keep(tables, decision.profile);
  return 'changed';
}

export function removeProfile(
  tables: Tables,
  accountId: string,
  typed: string,
): 'changed' | 'unchanged' | 'protected' {
  const key = keyOf({ accountId, name: profileName(typed) });
  const known = tables.profiles.get(key);
  if (known?.isProtected === true) return 'protected';
  return tables.profiles.delete(key) ? 'changed' : 'unchanged';
}

export function addFirstProfile(tables: Tables, accountId: string, size: Size): void {
  keep(tables, firstProfile(accountId, size));
}

function keep(tables: Tables, profile: Profile): void {
  tables.profiles.set(keyOf(profile), profile);
}

function keyOf({ accountId, name }: Pick<Profile, 'accountId' | 'name'>): string {
  return `${accountId}/${name}`;
}
