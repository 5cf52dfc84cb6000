import { expect, it } from 'vitest';
import { modeIn } from './mode.ts';

it.for([
  [undefined, 'auto'],
  ['', 'auto'],
  ['auto', 'auto'],
  ['require', 'require'],
  ['off', 'off'],
] as const)('MUSTER_REAL=%s means %s', ([value, mode]) => {
  expect(modeIn({ MUSTER_REAL: value })).toBe(mode);
});

it('any other value is refused with the list of valid values', () => {
  expect(() => modeIn({ MUSTER_REAL: 'nonsense' })).toThrow(
    expect.objectContaining({
      message: 'MUSTER_REAL is "nonsense"',
      next: 'set it to one of auto, require, off, or unset it for auto',
    }),
  );
});
