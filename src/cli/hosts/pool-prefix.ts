/** The pool that a host returns to: the option, else the prefix of its machine, else the default of the manager. */
import { PoolPrefix } from '../../api/names/host-names.ts';
import { poolPrefixOf } from '../../hosts/state/release-policy.ts';
import type { FleetMachine } from './fleet-objects.ts';

interface Given {
  readonly poolPrefix?: string;
  readonly defaultAdoptPoolPrefix?: string;
}

/** A prefix is never guessed: under a wrong prefix no machine would ever take the host. */
export function choosePoolPrefix(given: Given, machine: FleetMachine | undefined): string {
  const own = given.poolPrefix ?? machine?.spec.adoptPoolPrefix;
  const prefix = poolPrefixOf(own, given.defaultAdoptPoolPrefix ?? '');
  if (prefix === undefined) throw new Error('the pool of the host is not known: give --pool-prefix PREFIX');
  const parsed = PoolPrefix.safeParse(prefix);
  if (!parsed.success) throw new Error(parsed.error.issues[0]?.message ?? 'the pool prefix is invalid');
  return parsed.data;
}
