/** Rules about the budget of an account, and the order between accounts that want the same Pods. */
import { expect } from 'vitest';
import type { Rule } from './rules.ts';
import { draft, endedBy, heard, linux, noon } from './harness.ts';

const minuteMs = 60_000;
const plenty = { vcpus: 1000, memoryGb: 1000 };

function scarceRule(scarce: 'vcpus' | 'memoryGb'): Rule {
  return {
    rule: `an account gets no more than its budget of ${scarce} holds, and the next claim when part of the budget is free again`,
    proves: async (fixture) => {
      await fixture.account('7', { ...plenty, [scarce]: 2 * linux[scarce] + 1 });
      await fixture.queued(draft('1'), draft('2'), draft('3'));
      expect(heard(await fixture.ask(['a', 'b', 'c']))).toEqual(['1', '2', 'nothing']);
      expect(heard(await fixture.ask(['d']))).toEqual(['nothing']);
      await fixture.stop('a');
      expect(heard(await fixture.ask(['d', 'e']))).toEqual(['1', 'nothing']);
    },
  };
}

export const budgetRules: readonly Rule[] = [
  scarceRule('vcpus'),
  scarceRule('memoryGb'),
  {
    rule: 'pools of one platform share the budget of an account; another platform has its own',
    proves: async (fixture) => {
      await fixture.account('7', { vcpus: 4, memoryGb: 8 });
      const mac = { platform: 'macos', vcpus: 4, memoryGb: 8 } as const;
      await fixture.queued(
        draft('1'),
        draft('2', { pool: 'large' }),
        draft('3', { pool: 'macs', shape: mac }),
      );
      expect(heard(await fixture.ask(['a']))).toEqual(['1']);
      expect(heard(await fixture.ask(['b'], { pool: 'large' }))).toEqual(['nothing']);
      expect(heard(await fixture.ask(['c'], { pool: 'macs' }))).toEqual(['3']);
    },
  },
  {
    rule: 'a busy Pod counts until its runner has finished a job or the Pod has stopped',
    proves: async (fixture) => {
      await fixture.account('7', { vcpus: 4, memoryGb: 8 });
      await fixture.queued(draft('1'), draft('2', { queuedAt: noon + 1 }));
      await fixture.serve('a', 'runner-a');
      expect(heard(await fixture.ask(['b']))).toEqual(['nothing']);
      await fixture.deliver({ kind: 'complete', job: draft('1'), end: endedBy('runner-a') });
      expect(heard(await fixture.ask(['b']))).toEqual(['2']);
    },
  },
  {
    rule: 'a lower limit ends no claim and admits no new claim',
    proves: async (fixture) => {
      await fixture.account('7', plenty);
      await fixture.queued(draft('1'), draft('2'));
      await fixture.claim('a');
      await fixture.store.setLimit({ accountId: '7', platform: 'linux', vcpus: 0, memoryGb: 0 });
      expect(await fixture.claimedPods()).toEqual(['a']);
      expect(heard(await fixture.ask(['b']))).toEqual(['nothing']);
    },
  },
  {
    rule: 'the account with less in use comes first, however long the queue of the other is',
    proves: async (fixture) => {
      for (const id of ['7', '8']) await fixture.account(id, plenty);
      await fixture.queued(draft('1'), draft('2'), draft('3'), draft('4'));
      await fixture.queued(draft('5', { accountId: '8', queuedAt: noon + 1 }));
      expect(heard(await fixture.ask(['a', 'b', 'c']))).toEqual(['1', '5', '2']);
    },
  },
  {
    rule: 'a job past the maximum wait comes before all others',
    proves: async (fixture) => {
      for (const id of ['7', '8']) await fixture.account(id, plenty);
      await fixture.queued(draft('1'), draft('2', { queuedAt: noon + minuteMs }));
      await fixture.claim('a');
      await fixture.queued(draft('3', { accountId: '8', queuedAt: noon + 2 * minuteMs }));
      const soon = noon + 3 * minuteMs;
      expect(heard(await fixture.ask(['b'], { at: soon }))).toEqual(['3']);
      await fixture.stop('b');
      expect(heard(await fixture.ask(['b'], { at: soon + 1 }))).toEqual(['2']);
    },
  },
  {
    rule: 'among jobs past the maximum wait, accounts alternate, however many older jobs one of them has',
    proves: async (fixture) => {
      for (const id of ['7', '8', '9']) await fixture.account(id, plenty);
      const flood = Array.from({ length: 40 }, (_, index) => draft(`flood ${index + 10}`));
      await fixture.queued(...flood);
      await fixture.queued(
        draft('one', { accountId: '8', queuedAt: noon + minuteMs }),
        draft('two', { accountId: '9', queuedAt: noon + 2 * minuteMs }),
        draft('three', { accountId: '9', queuedAt: noon + 3 * minuteMs }),
      );
      const at = noon + 10 * minuteMs;
      expect(heard(await fixture.ask(['a'], { at }))).toEqual(['flood 10']);
      expect(heard(await fixture.ask(['b'], { at }))).toEqual(['one']);
      expect(heard(await fixture.ask(['c', 'd', 'e', 'f'], { at }))).toEqual([
        'two',
        'flood 11',
        'three',
        'flood 12',
      ]);
    },
  },
];
