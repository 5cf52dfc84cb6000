/**
 * Registers every case for one server. A case with an exception must fail there: an obsolete exception is reported like
 * any other failure.
 */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { allCases } from './all-cases.ts';
import type { Case } from './case.ts';
import { exceptions } from './exceptions.ts';
import { lacks } from './lacks.ts';
import { Harness } from './harness.ts';
import type { Target } from './target.ts';

export interface ContractOptions {
  /** By default all cases that need no special server. */
  readonly cases?: readonly Case[];
}

export function describeContract(
  name: string,
  startTarget: () => Promise<Target>,
  { cases = allCases }: ContractOptions = {},
): void {
  const excepted = new Set(exceptions.flatMap(({ rule, target }) => (target === name ? rule : [])));
  const missing = new Set(lacks.flatMap(({ target, need }) => (target === name ? [need] : [])));
  const rows = cases
    .filter(({ needs = [] }) => !needs.some((need) => missing.has(need)))
    .map((one) => [one.rule, one] as const);

  describe.for([name])('the contract on %s', () => {
    let target: Target | undefined;
    let harness: Harness | undefined;
    beforeAll(async () => {
      target = await startTarget();
      harness = await Harness.open(target);
    });
    afterAll(() => target?.close());
    const run = async (one: Case): Promise<void> => {
      if (harness === undefined) throw new Error('the target did not start');
      await harness.run(one);
    };

    it('states each rule once', () => {
      expect(repeated(cases.map(({ rule }) => rule))).toEqual([]);
    });

    it('has exceptions only for rules it states', () => {
      const stated = new Set(allCases.map(({ rule }) => rule));
      expect(exceptions.filter(({ rule }) => !stated.has(rule))).toEqual([]);
    });

    it.for(rows.filter(([rule]) => !excepted.has(rule)))('%s', async ([, one]) => {
      expect.hasAssertions();
      await run(one);
    });

    it.for(rows.filter(([rule]) => excepted.has(rule)))('does not yet keep: %s', async ([, one]) => {
      await expect(run(one)).rejects.toBeInstanceOf(Error);
    });
  });
}

function repeated(rules: readonly string[]): readonly string[] {
  return rules.filter((rule, index) => rules.indexOf(rule) !== index);
}
