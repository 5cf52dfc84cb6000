import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';

import {
  claimPendingName,
  claimPendingPrefix,
  isClaimPendingName,
  isClaimStyleName,
  isPoolName,
  poolHostName,
  PoolPrefix,
  usualPoolPrefix,
} from './host-names.ts';

const prefixes = fc.string({ minLength: 1 }).filter((text) => PoolPrefix.safeParse(text).success);

describe('host names', () => {
  it('keep the prefixes existing fleets use', () => {
    expect({ claimPendingPrefix, usualPoolPrefix }).toEqual({
      claimPendingPrefix: 'tuist-claim-pending-',
      usualPoolPrefix: 'tuist-pool-',
    });
  });

  it.each([
    ['tuist-pool-1', 'tuist-pool-', true],
    ['tuist-pool-', 'tuist-pool-', true],
    ['Tuist-pool-1', 'tuist-pool-', false],
    ['apple-silicon-1', 'tuist-pool-', false],
    ['tuist-claim-pending-1', 'tuist-', false],
    ['tuist-pool-1', '', false],
    ['', '', false],
  ])('%j under the pool prefix %j is a pool name: %j', (name, prefix, expected) => {
    expect(isPoolName(name, prefix)).toBe(expected);
  });

  it.each([
    ['tuist-tuist-runners-1', 'tuist-tuist-', true],
    ['apple-silicon-1', 'tuist-tuist-', false],
    ['tuist-claim-pending-1', 'tuist-', false],
    ['tuist-tuist-runners-1', '', false],
  ])('%j under the claim prefix %j is a claim-style name: %j', (name, prefix, expected) => {
    expect(isClaimStyleName(name, prefix)).toBe(expected);
  });

  it.each(['', claimPendingPrefix, `${claimPendingPrefix}x`])('%j cannot be a pool prefix', (text) => {
    expect(PoolPrefix.safeParse(text).success).toBe(false);
  });

  it('an empty prefix matches no name at all', () => {
    fc.assert(
      fc.property(fc.string(), (name) => {
        expect([isPoolName(name, ''), isClaimStyleName(name, '')]).toEqual([false, false]);
      }),
    );
  });

  it('a host with a pool name is found under its prefix, and is not pending', () => {
    fc.assert(
      fc.property(prefixes, fc.uuid(), (prefix, unique) => {
        const name = poolHostName(PoolPrefix.parse(prefix), unique);
        expect([isPoolName(name, prefix), isClaimPendingName(name)]).toEqual([true, false]);
      }),
    );
  });

  it('a host with a pending name is pending, and never free', () => {
    fc.assert(
      fc.property(fc.string(), fc.uuid(), (prefix, unique) => {
        const name = claimPendingName(unique);
        expect([isClaimPendingName(name), isPoolName(name, prefix)]).toEqual([true, false]);
      }),
    );
  });
});
