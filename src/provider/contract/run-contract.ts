/** Runs the cases of the contract, each on a stage of its own. */
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { Provider, Server, ServerAddress } from '../port.ts';
import type { Stage } from './stage.ts';

/** What a case has at hand. */
export interface Hand<S extends Stage> {
  readonly stage: S;
  readonly at: (id: string) => ServerAddress;
  readonly get: (id: string) => Promise<Server>;
  readonly list: () => Promise<readonly Server[]>;
  /** How it fails, or a sentence when it does not. */
  readonly failure: (call: (provider: Provider) => Promise<unknown>) => Promise<unknown>;
}

export interface ContractCase<S extends Stage> {
  readonly rule: string;
  readonly proves: (hand: Hand<S>) => Promise<void>;
}

export function runContract<S extends Stage>(
  name: string,
  cases: readonly ContractCase<S>[],
  open: () => Promise<S>,
): void {
  describe(`${name}:`, () => {
    let stage: S;
    beforeEach(async () => {
      stage = await open();
    });
    afterEach(() => stage.close());

    it.for(cases.map((one) => [one.rule, one] as const))('%s', async ([, { proves }]) => {
      expect.hasAssertions();
      await proves(handOf(stage));
    });
  });
}

function handOf<S extends Stage>(stage: S): Hand<S> {
  const at = (id: string): ServerAddress => ({ zone: stage.zone, id });
  return {
    stage,
    at,
    get: (id) => stage.does((provider) => provider.getServer(at(id))),
    list: () => stage.does((provider) => provider.listServers(stage.zone)),
    failure: (call) =>
      stage.does(call).then(
        () => 'it did not fail',
        (error: unknown) => error,
      ),
  };
}
