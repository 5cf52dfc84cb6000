/** Runs the cases of the contract, each with its own fixture. */
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { Provider, Server, ServerAddress } from '../../../src/hosts/provider/port.ts';
import type { Fixture } from './harness.ts';

/** What a case works with. */
export interface Hand<S extends Fixture> {
  readonly fixture: S;
  readonly at: (id: string) => ServerAddress;
  readonly get: (id: string) => Promise<Server>;
  readonly list: () => Promise<readonly Server[]>;
  /** Returns the failure, or a sentence when the call does not fail. */
  readonly failure: (call: (provider: Provider) => Promise<unknown>) => Promise<unknown>;
}

export interface ContractCase<S extends Fixture> {
  readonly rule: string;
  readonly proves: (hand: Hand<S>) => Promise<void>;
}

export function runContract<S extends Fixture>(
  name: string,
  cases: readonly ContractCase<S>[],
  open: () => Promise<S>,
): void {
  describe(`${name}:`, () => {
    let fixture: S;
    beforeEach(async () => {
      fixture = await open();
    });
    afterEach(() => fixture.close());

    it.for(cases.map((one) => [one.rule, one] as const))('%s', async ([, { proves }]) => {
      expect.hasAssertions();
      await proves(handOf(fixture));
    });
  });
}

function handOf<S extends Fixture>(fixture: S): Hand<S> {
  const at = (id: string): ServerAddress => ({ zone: fixture.zone, id });
  return {
    fixture,
    at,
    get: (id) => fixture.does((provider) => provider.getServer(at(id))),
    list: () => fixture.does((provider) => provider.listServers(fixture.zone)),
    failure: (call) =>
      fixture.does(call).then(
        () => 'the call did not fail',
        (error: unknown) => error,
      ),
  };
}
