import * as fc from 'fast-check';
import { expect, it } from 'vitest';
import { canonicalQuantity } from './quantity.ts';

/** Expected values in thousandths, independent of the code under test. */
const decimals: Readonly<Record<string, bigint>> = {
  m: 1n,
  '': 1000n,
  k: 10n ** 6n,
  M: 10n ** 9n,
  G: 10n ** 12n,
};

it.for([
  ['1500m', '1500m'],
  ['-1500m', '-1500m'],
  ['-0', '0'],
  ['2048', '2048'],
  ['2048Ki', '2Mi'],
  ['1023Ki', '1023Ki'],
  ['1e-3', '1e-3'],
  ['1E18', '1e18'],
  ['1E', '1E'],
] as const)('%s is written as %s', ([said, kept]) => {
  expect(canonicalQuantity(said)).toBe(kept);
});

it.for(['', 'x', '1x', '1 k', '--1', '.', 'k', '1.2.3', '1e', '1Kii', '1e99999', '9'.repeat(300)])(
  '%s is no amount',
  (said) => {
    expect(canonicalQuantity(said)).toBeUndefined();
  },
);

it('the canonical form is stable and has the same value', () => {
  const said = fc.tuple(fc.integer({ min: 0, max: 10_000_000 }), fc.constantFrom(...Object.keys(decimals)));
  fc.assert(
    fc.property(said, ([amount, suffix]) => {
      const kept = canonicalQuantity(`${amount}${suffix}`) ?? '';
      expect(canonicalQuantity(kept)).toBe(kept);
      const [, digits = '', unit = ''] = /^(\d+)(.*)$/.exec(kept) ?? [];
      const units: Readonly<Record<string, bigint>> = { ...decimals, T: 10n ** 15n, P: 10n ** 18n };
      expect(BigInt(digits) * (units[unit] ?? 0n)).toBe(BigInt(amount) * (decimals[suffix] ?? 0n));
    }),
  );
});
