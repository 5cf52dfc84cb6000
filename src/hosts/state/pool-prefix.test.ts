import { expect, it } from 'vitest';
import { prefixFault, soundPrefix } from './pool-prefix.ts';

const rules = { claimPrefix: 'runners-' };

it.for([
  ['', 'shorter'],
  ['p', 'shorter'],
  ['   ', 'shorter'],
  ['tui', 'tuist-claim-pending-'],
  ['tuist-', 'tuist-claim-pending-'],
  ['tuist-claim-pending-', 'tuist-claim-pending-'],
  ['tuist-claim-pending-1', 'tuist-claim-pending-'],
  ['apple', 'apple-silicon-'],
  ['apple-silicon-prod-', 'apple-silicon-'],
  ['run', 'runners-'],
  ['runners-', 'runners-'],
  ['runners-1', 'runners-'],
] as const)('a machine may not name the prefix %j, and is told of %j', ([prefix, part]) => {
  expect(prefixFault(prefix, rules)).toContain(part);
  expect(soundPrefix(prefix, rules)).toBeUndefined();
});

it.for(['tuist-pool-', 'poo', 'my pool '])('a machine may name the prefix %j', (prefix) => {
  expect(soundPrefix(prefix, rules)).toBe(prefix);
});

it('where nobody has said how machines are called, nothing is kept from names of machines', () => {
  expect(soundPrefix('runners-', { claimPrefix: '' })).toBe('runners-');
});

it.for([
  ['pool-', undefined],
  ['pool-m4-', undefined],
  ['spare-', undefined],
  ['poo', 'the manager allows pool-, spare-'],
  ['web-', 'the manager allows pool-, spare-'],
  ['p', 'it is shorter than 3 letters'],
] as const)('where some prefixes are allowed, %j gets: %s', ([prefix, fault]) => {
  const allowedPoolPrefixes = ['pool-', 'spare-'];
  expect(prefixFault(prefix, { ...rules, allowedPoolPrefixes })).toBe(fault);
});
