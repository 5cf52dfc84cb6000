/**
 * Which pool prefixes a machine may use. Without these rules, anyone who can create a machine could make any server
 * look free: a very short prefix matches nearly all servers, and a prefix in use matches those of other machines.
 */
import { claimPendingPrefix, newServerPrefix } from '../../api/names/host-names.ts';

const lettersMin = 3;

export interface PrefixRules {
  /** The prefix of machine names; empty when unknown. */
  readonly claimPrefix: string;
  /** The prefixes that the manager's settings allow; undefined allows any. */
  readonly allowedPoolPrefixes?: readonly string[] | undefined;
}

/** Why the prefix may not be used for machine names; undefined when it may. */
export function claimPrefixFault(prefix: string): string | undefined {
  return namesTooMuch(prefix, [claimPendingPrefix, newServerPrefix]);
}

/** Why the prefix may not be used, as a message; undefined when it may. */
export function prefixFault(prefix: string, rules: PrefixRules): string | undefined {
  const { claimPrefix, allowedPoolPrefixes: allowed } = rules;
  const fault = namesTooMuch(prefix, [claimPendingPrefix, newServerPrefix, claimPrefix]);
  if (fault !== undefined) return fault;
  // A longer prefix matches a subset of the hosts.
  const isAllowed = allowed === undefined || allowed.some((one) => prefix.startsWith(one));
  return isAllowed ? undefined : `the manager allows ${allowed.join(', ')}`;
}

/** The prefix, or undefined if it may not be used. */
export function soundPrefix(prefix: string | undefined, rules: PrefixRules): string | undefined {
  return prefix === undefined || prefixFault(prefix, rules) !== undefined ? undefined : prefix;
}

function namesTooMuch(prefix: string, others: readonly string[]): string | undefined {
  if (prefix.trim().length < lettersMin) return `the prefix is shorter than ${lettersMin} letters`;
  const inUse = others.find((other) => other !== '' && overlap(prefix, other));
  return inUse === undefined
    ? undefined
    : `names of hosts in use begin with ${inUse}, which overlaps with the prefix`;
}

function overlap(one: string, other: string): boolean {
  return one.startsWith(other) || other.startsWith(one);
}
