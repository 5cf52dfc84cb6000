/**
 * Which pool prefixes a machine may name. Whoever may make a machine could otherwise call any server free: under a very
 * short prefix nearly all of them are, and under one of names in use, those of other machines.
 */
import { claimPendingPrefix } from '../api/host-names.ts';

const lettersMin = 3;

/** Undefined when it may be used; else what is wrong with it, for people. */
export function prefixFault(prefix: string, claimPrefix: string): string | undefined {
  if (prefix.trim().length < lettersMin) return `it is shorter than ${lettersMin} letters`;
  const inUse = [claimPendingPrefix, claimPrefix].find((other) => other !== '' && overlap(prefix, other));
  return inUse === undefined
    ? undefined
    : `names of hosts in use begin with ${inUse}, which overlaps with it`;
}

/** A prefix that may not be used is none. */
export function soundPrefix(prefix: string | undefined, claimPrefix: string): string | undefined {
  return prefix === undefined || prefixFault(prefix, claimPrefix) !== undefined ? undefined : prefix;
}

function overlap(one: string, other: string): boolean {
  return one.startsWith(other) || other.startsWith(one);
}
