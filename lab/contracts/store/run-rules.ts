/** Runs every rule on a new store, under the name of the implementation. */
import { describe, expect, it } from 'vitest';
import type { JobEvent, Reported } from '../../../src/dispatch/store/job-events.ts';
import type { JobStore } from '../../../src/dispatch/store/port.ts';
import { budgetRules } from './budget-rules.ts';
import { claimRules } from './claim-rules.ts';
import { crowdRules } from './concurrency-laws.ts';
import { deliveryRules } from './delivery-rules.ts';
import { eventRules } from './event-rules.ts';
import { exchangeRules } from './exchange-rules.ts';
import { oldRowsRules } from './old-rows-rules.ts';
import { profileRules } from './profile-rules.ts';
import { recoveryRules } from './recovery-rules.ts';
import type { Rule } from './rules.ts';
import { Fixture } from './harness.ts';

const rules: readonly Rule[] = [
  ...deliveryRules,
  ...crowdRules,
  ...claimRules,
  ...exchangeRules,
  ...budgetRules,
  ...profileRules,
  ...recoveryRules,
  ...oldRowsRules,
  ...eventRules,
];

export function runRules(name: string, open: (reported: Reported) => Promise<JobStore>): void {
  describe(`the rules of a store, in ${name}:`, () => {
    it.for(rules.map((one) => [one.rule, one] as const))('%s', async ([, { proves }]) => {
      expect.hasAssertions();
      const reported: JobEvent[] = [];
      await proves(new Fixture(await open((event) => void reported.push(event)), reported));
    });
  });
}
