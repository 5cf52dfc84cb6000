/** The rules for changes of profiles. Pure, and shared by PostgreSQL and the model in memory. */
import type { Profile, ProfileDraft, Size } from './rows.ts';

const nameForm = /^[a-z][a-z0-9-]{0,31}$/;
/** With the usual prefix these names would read as labels with another meaning. */
const reservedNames: ReadonlySet<string> = new Set(['runner', 'runners', 'tuist']);
export const profilesMax = 10;
const vcpusMax = 1000;
const memoryGbMax = 10_000;

export type ProfileRefusal =
  | 'no_account'
  | 'bad_name'
  | 'reserved_name'
  | 'bad_size'
  /** The platform of a label must not change. */
  | 'other_platform'
  | 'too_many';

export type PutDecision =
  | { readonly kind: 'write'; readonly profile: Profile }
  | { readonly kind: 'unchanged' }
  | { readonly kind: 'refused'; readonly why: ProfileRefusal };

/** Normalizes a typed name for storage and comparison. */
export function profileName(typed: string): string {
  return typed.trim().toLowerCase();
}

/** `own` are the current profiles of the account. */
export function decidePut(own: readonly Profile[], draft: ProfileDraft): PutDecision {
  const name = profileName(draft.name);
  const known = own.find((one) => one.name === name);
  const why = validateProfile({ ...draft, name }, known, own.length);
  if (why !== undefined) return { kind: 'refused', why };
  const { accountId, platform, vcpus, memoryGb } = draft;
  if (known?.vcpus === vcpus && known.memoryGb === memoryGb) return { kind: 'unchanged' };
  const isProtected = known?.isProtected ?? false;
  return { kind: 'write', profile: { accountId, name, platform, vcpus, memoryGb, isProtected } };
}

function validateProfile(
  draft: ProfileDraft,
  known: Profile | undefined,
  count: number,
): ProfileRefusal | undefined {
  if (!nameForm.test(draft.name)) return 'bad_name';
  if (reservedNames.has(draft.name)) return 'reserved_name';
  if (!isAmount(draft.vcpus, vcpusMax) || !isAmount(draft.memoryGb, memoryGbMax)) return 'bad_size';
  if (known !== undefined) return known.platform === draft.platform ? undefined : 'other_platform';
  return count < profilesMax ? undefined : 'too_many';
}

function isAmount(amount: number, max: number): boolean {
  return Number.isInteger(amount) && amount >= 1 && amount <= max;
}

/** The profile of a new account, so that its jobs have a label. */
export function firstProfile(accountId: string, size: Size): Profile {
  return { accountId, name: 'linux', platform: 'linux', ...size, isProtected: true };
}
