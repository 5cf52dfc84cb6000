import * as fc from 'fast-check';
import { expect, it } from 'vitest';
import { parseLossless } from '../../../src/dispatch/webhooks/lossless-json.ts';
import { asRead } from './parsed-body.ts';
import { exactJson } from './exact-json.ts';

/** The values of GitHub bodies. No text begins with the character by which `exactJson` marks a number. */
const { body } = fc.letrec((tie) => ({
  body: fc.oneof(
    { maxDepth: 4 },
    tie('leaf'),
    fc.array(tie('body')),
    fc.dictionary(fc.string(), tie('body')),
  ),
  leaf: fc.oneof(
    fc.bigInt({ min: 0n, max: 2n ** 64n }),
    fc.integer(),
    fc.double({ noNaN: true, noDefaultInfinity: true, min: 0.001, max: 1000 }),
    fc.boolean(),
    fc.constantFrom(null, undefined),
    fc.string(),
  ),
}));

it('the parsed body equals the body parsed from its text', () => {
  fc.assert(
    fc.property(body, (value) => {
      fc.pre(value !== undefined);
      expect(asRead(value)).toEqual(parseLossless(exactJson(value)));
    }),
    { seed: 7, numRuns: 500 },
  );
});

it.for([
  ['an id that fits into a number', 9_007_199_254_740_991n, 9_007_199_254_740_991],
  ['an id that does not fit into a number', 9_007_199_254_740_993n, '9007199254740993'],
] as const)('%s', ([, given, read]) => {
  expect(asRead({ id: given })).toEqual({ id: read });
});
