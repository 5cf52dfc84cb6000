import * as fc from 'fast-check';
import { expect, it } from 'vitest';
import { shrink } from './shrink.ts';

const list = Array.from({ length: 200 }, (_, index) => index);

it('leaves exactly the faults that are needed together', async () => {
  await fc.assert(
    fc.asyncProperty(fc.uniqueArray(fc.nat(199), { minLength: 1, maxLength: 4 }), async (needed) => {
      const breaks = async (items: readonly number[]): Promise<boolean> =>
        needed.every((item) => items.includes(item));
      const { items } = await shrink({ items: list, breaks, probesMax: 5000 });
      expect(items).toEqual(needed.toSorted((a, b) => a - b));
    }),
    { numRuns: 50 },
  );
});

it('takes few tries: one fault out of two hundred in about twice the logarithm', async () => {
  const { items, probes } = await shrink({
    items: list,
    breaks: async (some) => some.includes(137),
    probesMax: 400,
  });
  expect(items).toEqual([137]);
  expect(probes).toBeLessThan(25);
});

it('leaves no fault where the run fails without faults', async () => {
  expect(await shrink({ items: list, breaks: async () => true, probesMax: 400 })).toEqual({
    items: [],
    probes: 1,
  });
});

it('stops after the given number of tries, with a plan that still fails', async () => {
  const breaks = async (items: readonly number[]): Promise<boolean> => items.length > 150;
  const { items, probes } = await shrink({ items: list, breaks, probesMax: 10 });
  expect(probes).toBeLessThan(50);
  expect(await breaks(items)).toBe(true);
});
