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
] as const)('a machine may not use the prefix %j, and the message names %j', ([prefix, part]) => {
  expect(prefixFault(prefix, rules)).toContain(part);
  expect(soundPrefix(prefix, rules)).toBeUndefined();
});

it.for(['tuist-pool-', 'poo', 'my pool '])('a machine may use the prefix %j', (prefix) => {
  expect(soundPrefix(prefix, rules)).toBe(prefix);
});

it('with an unknown claim prefix, no prefix is kept for machine names', () => {
  expect(soundPrefix('runners-', { claimPrefix: '' })).toBe('runners-');
});

it.for([
  ['pool-', undefined],
  ['pool-m4-', undefined],
  ['spare-', undefined],
  ['poo', 'the manager allows pool-, spare-'],
  ['web-', 'the manager allows pool-, spare-'],
  ['p', 'the prefix is shorter than 3 letters'],
] as const)('with an allow-list of prefixes, %j gets: %s', ([prefix, fault]) => {
  const allowedPoolPrefixes = ['pool-', 'spare-'];
  expect(prefixFault(prefix, { ...rules, allowedPoolPrefixes })).toBe(fault);
});
