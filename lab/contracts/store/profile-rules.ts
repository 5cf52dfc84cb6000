/** Rules about the profile names of an account. */
import { expect } from 'vitest';
import type { ProfileDraft } from '../../../src/dispatch/store/rows.ts';
import type { Rule } from './rules.ts';
import { draft, type Fixture } from './harness.ts';

const small: ProfileDraft = { accountId: '7', name: 'small', platform: 'linux', vcpus: 2, memoryGb: 8 };

async function namesOf({ store }: Fixture, accountId: string): Promise<readonly string[]> {
  return (await store.profiles(accountId)).map(({ name }) => name);
}

async function newAccount(
  { store }: Fixture,
  id: string,
  firstProfile?: { vcpus: number; memoryGb: number },
) {
  const installation = { id, accountId: id, state: 'active' } as const;
  return store.apply({ kind: 'install', account: { id, login: `org-${id}` }, installation, firstProfile });
}

function refusedRule(what: string, other: Partial<ProfileDraft>, why: string): Rule {
  return {
    rule: `a profile with ${what} is refused`,
    proves: async (fixture) => {
      await fixture.account('7');
      await fixture.store.putProfile(small);
      expect(await fixture.store.putProfile({ ...small, ...other })).toBe(why);
      expect(await fixture.store.profiles('7')).toEqual([{ ...small, isProtected: false }]);
    },
  };
}

export const profileRules: readonly Rule[] = [
  refusedRule('a name that begins with a digit', { name: '4cores' }, 'bad_name'),
  refusedRule('a name of more than 32 letters', { name: 'a'.repeat(33) }, 'bad_name'),
  refusedRule('a name with a dot', { name: 'a.b' }, 'bad_name'),
  refusedRule('a name that is reserved', { name: 'Runners' }, 'reserved_name'),
  refusedRule('no cores', { vcpus: 0 }, 'bad_size'),
  refusedRule('a fraction of a gigabyte', { memoryGb: 0.5 }, 'bad_size'),
  refusedRule('another platform than it had', { platform: 'macos' }, 'other_platform'),
  refusedRule('an unknown account', { accountId: '8' }, 'no_account'),
  {
    rule: 'a profile is stored under its name in lower case, once per account',
    proves: async (fixture) => {
      await fixture.account('7');
      await fixture.account('8');
      expect(await fixture.store.putProfile({ ...small, name: ' Small ' })).toBe('changed');
      expect(await fixture.store.putProfile(small)).toBe('unchanged');
      expect(await fixture.store.putProfile({ ...small, vcpus: 4 })).toBe('changed');
      expect(await fixture.store.putProfile({ ...small, accountId: '8' })).toBe('changed');
      expect(await fixture.store.profiles('7')).toEqual([{ ...small, vcpus: 4, isProtected: false }]);
      expect(await fixture.store.profiles('8')).toEqual([{ ...small, accountId: '8', isProtected: false }]);
    },
  },
  {
    rule: 'an account has ten profiles at most, and an existing profile may still change',
    proves: async (fixture) => {
      await fixture.account('7');
      for (let number = 1; number <= 10; number += 1)
        expect(await fixture.store.putProfile({ ...small, name: `size-${number}` })).toBe('changed');
      expect(await fixture.store.putProfile(small)).toBe('too_many');
      expect(await fixture.store.putProfile({ ...small, name: 'size-3', vcpus: 4 })).toBe('changed');
      expect(await fixture.store.removeProfile('7', 'SIZE-1')).toBe('changed');
      expect(await fixture.store.putProfile(small)).toBe('changed');
      expect(await namesOf(fixture, '7')).toHaveLength(10);
    },
  },
  {
    rule: 'parallel additions of profiles respect the limit',
    proves: async (fixture) => {
      await fixture.account('7');
      const names = Array.from({ length: 14 }, (_, number) => `size-${number}`);
      const answers = await Promise.all(
        names.map(async (name) => fixture.store.putProfile({ ...small, name })),
      );
      expect(answers.filter((answer) => answer === 'changed')).toHaveLength(10);
      expect(await namesOf(fixture, '7')).toHaveLength(10);
    },
  },
  {
    rule: 'a new account gets the profile linux, which may change and stays',
    proves: async (fixture) => {
      await newAccount(fixture, '7', { vcpus: 2, memoryGb: 8 });
      const first = { ...small, name: 'linux', isProtected: true };
      expect(await fixture.store.profiles('7')).toEqual([first]);
      expect(await fixture.store.removeProfile('7', 'linux')).toBe('protected');
      expect(await fixture.store.putProfile({ ...first, memoryGb: 16 })).toBe('changed');
      // GitHub sends an installation more than once.
      await newAccount(fixture, '7', { vcpus: 1, memoryGb: 1 });
      expect(await fixture.store.profiles('7')).toEqual([{ ...first, memoryGb: 16 }]);
    },
  },
  {
    rule: 'an existing account keeps its profiles',
    proves: async (fixture) => {
      await newAccount(fixture, '7');
      expect(await newAccount(fixture, '7', { vcpus: 2, memoryGb: 8 })).toBe('unchanged');
      expect(await namesOf(fixture, '7')).toEqual([]);
    },
  },
  {
    rule: 'a removed profile is gone, and its jobs stay',
    proves: async (fixture) => {
      await fixture.account('7');
      await fixture.store.putProfile(small);
      await fixture.queued(draft('1', { label: 'tuist-small' }));
      expect(await fixture.store.removeProfile('7', 'small')).toBe('changed');
      expect(await fixture.store.removeProfile('7', 'small')).toBe('unchanged');
      expect(await namesOf(fixture, '7')).toEqual([]);
      expect(await fixture.store.job('1')).toMatchObject({ state: 'queued', label: 'tuist-small' });
    },
  },
];
