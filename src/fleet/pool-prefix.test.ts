import { expect, it } from 'vitest';
import { prefixFault, soundPrefix } from './pool-prefix.ts';

it.for([
  ['', 'shorter'],
  ['p', 'shorter'],
  ['   ', 'shorter'],
  ['tui', 'tuist-claim-pending-'],
  ['tuist-', 'tuist-claim-pending-'],
  ['tuist-claim-pending-', 'tuist-claim-pending-'],
  ['tuist-claim-pending-1', 'tuist-claim-pending-'],
  ['run', 'runners-'],
  ['runners-', 'runners-'],
  ['runners-1', 'runners-'],
] as const)('a machine may not name the prefix %j, and is told of %j', ([prefix, part]) => {
  expect(prefixFault(prefix, 'runners-')).toContain(part);
  expect(soundPrefix(prefix, 'runners-')).toBeUndefined();
});

it.for(['tuist-pool-', 'poo', 'my pool '])('a machine may name the prefix %j', (prefix) => {
  expect(soundPrefix(prefix, 'runners-')).toBe(prefix);
});

it('where nobody has said how machines are called, nothing is kept from names of machines', () => {
  expect(soundPrefix('runners-', '')).toBe('runners-');
});
