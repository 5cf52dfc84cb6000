/** Runs the cases of the contract, each with its own fixture. */
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { RunnerOrder, Tenant } from '../../../src/dispatch/github/port.ts';
import type { Fixture } from './harness.ts';

export interface ContractCase {
  readonly rule: string;
  readonly proves: (fixture: Fixture) => Promise<void>;
}

export function runContract(
  name: string,
  cases: readonly ContractCase[],
  open: () => Promise<Fixture>,
): void {
  describe(`${name}:`, () => {
    let fixture: Fixture;
    beforeEach(async () => {
      fixture = await open();
    });
    afterEach(() => fixture.close());

    it.for(cases.map((one) => [one.rule, one] as const))('%s', async ([, { proves }]) => {
      expect.hasAssertions();
      await proves(fixture);
    });
  });
}

export const labels = ['self-hosted', 'macOS', 'fleet-mac'];

export function orderFor(tenant: Tenant, name = 'mac-1-0a1b2c3d'): RunnerOrder {
  return { ...tenant, name, labels, workFolder: '/Users/runner/work' };
}

/** Returns the failure, or a sentence when the call does not fail. */
export function failureOf(call: Promise<unknown>): Promise<unknown> {
  return call.then(
    () => 'the call did not fail',
    (error: unknown) => error,
  );
}

export async function kindOf(call: Promise<unknown>): Promise<unknown> {
  const failure = await failureOf(call);
  return failure instanceof Error && 'kind' in failure ? failure.kind : failure;
}
