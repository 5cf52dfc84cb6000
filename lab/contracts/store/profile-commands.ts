/** Random commands about profiles of accounts: more names than an account may have, and some invalid names. */
import * as fc from 'fast-check';
import type { Platform } from '../../../src/dispatch/store/rows.ts';
import { account, type Drawn } from './arbitraries.ts';

const name = fc.oneof(
  fc.nat({ max: 12 }).map((number) => `size-${number}`),
  fc.constantFrom('linux', ' Linux ', 'tuist', 'Runner', '', '9', 'a_b', `a${'b'.repeat(32)}`),
);
/** Few values, and sometimes an invalid value. */
const amount = fc.constantFrom(1, 2, 2, 4, 4, 0, 20_000, 1.5);

const draft = fc.record({
  accountId: fc.oneof({ weight: 9, arbitrary: account }, fc.constant('nobody')),
  name,
  platform: fc.constantFrom<Platform>('linux', 'linux', 'macos'),
  vcpus: amount,
  memoryGb: amount,
});

/** In sequence, so that an account reaches its maximum. */
export const putProfiles = fc
  .array(draft, { minLength: 1, maxLength: 12, size: 'max' })
  .map((drafts): Drawn => ({
    says: `put profiles ${JSON.stringify(drafts)}`,
    run: async (store) => {
      const answers: string[] = [];
      for (const each of drafts) answers.push(await store.putProfile(each));
      return answers;
    },
  }));

export const removeProfile = fc.tuple(account, name).map(([accountId, which]): Drawn => ({
  says: `remove profile ${which} of ${accountId}`,
  run: async (store) => store.removeProfile(accountId, which),
}));
