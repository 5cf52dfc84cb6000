/**
 * Which pool prefixes a machine may name. Whoever may make a machine could otherwise call any server free: under a very
 * short prefix nearly all of them are, and under one of names in use, those of other machines.
 */
import { claimPendingPrefix, newServerPrefix } from '../../api/names/host-names.ts';

const lettersMin = 3;

export interface PrefixRules {
  /** What names of machines begin with; empty when nobody has said so. */
  readonly claimPrefix: string;
  /** Those that the manager was told; undefined: any. */
  readonly allowedPoolPrefixes?: readonly string[] | undefined;
}

/** What is wrong with a prefix by which names of machines are known; undefined when it may be used. */
export function claimPrefixFault(prefix: string): string | undefined {
  return namesTooMuch(prefix, [claimPendingPrefix, newServerPrefix]);
}

/** Undefined when it may be used; else what is wrong with it, for people. */
export function prefixFault(prefix: string, rules: PrefixRules): string | undefined {
  const { claimPrefix, allowedPoolPrefixes: allowed } = rules;
  const fault = namesTooMuch(prefix, [claimPendingPrefix, newServerPrefix, claimPrefix]);
  if (fault !== undefined) return fault;
  // A longer one names fewer hosts, and no others.
  const isAllowed = allowed === undefined || allowed.some((one) => prefix.startsWith(one));
  return isAllowed ? undefined : `the manager allows ${allowed.join(', ')}`;
}

/** A prefix that may not be used is none. */
export function soundPrefix(prefix: string | undefined, rules: PrefixRules): string | undefined {
  return prefix === undefined || prefixFault(prefix, rules) !== undefined ? undefined : prefix;
}

function namesTooMuch(prefix: string, others: readonly string[]): string | undefined {
  if (prefix.trim().length < lettersMin) return `it is shorter than ${lettersMin} letters`;
  const inUse = others.find((other) => other !== '' && overlap(prefix, other));
  return inUse === undefined
    ? undefined
    : `names of hosts in use begin with ${inUse}, which overlaps with it`;
}

function overlap(one: string, other: string): boolean {
  return one.startsWith(other) || other.startsWith(one);
}
