/** Every fault of PostgreSQL that we can cause, each with its own connections. */
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { crowdFaults } from './crowd-faults.ts';
import { FaultHarness, type ServerAddress } from './fault-harness.ts';
import { listenerFaults } from './listener-faults.ts';
import { olderCopyFaults } from './older-copy-faults.ts';
import { retirementRaces } from './retirement-races.ts';
import { startFaults } from './start-faults.ts';
import { verbFaults } from './verb-faults.ts';
import { wakeRules } from './wake-rules.ts';

const faults = [
  ...verbFaults,
  ...crowdFaults,
  ...retirementRaces,
  ...listenerFaults,
  ...wakeRules,
  ...startFaults,
  ...olderCopyFaults,
];

export function runFaults(name: string, server: () => ServerAddress): void {
  describe(`faults of ${name}:`, () => {
    let harness: FaultHarness;
    beforeEach(async () => {
      harness = await FaultHarness.open(server());
    });
    afterEach(() => harness.close());

    it.for(faults.map((one) => [one.rule, one] as const))('%s', async ([, { proves }]) => {
      expect.hasAssertions();
      await proves(harness);
    });
  });
}
