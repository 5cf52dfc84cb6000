/** Which pool a host goes back to: what was said, else what its machine says, else what the manager runs with. */
import { PoolPrefix } from '../../api/names/host-names.ts';
import { poolPrefixOf } from '../../hosts/state/release-policy.ts';
import type { FleetMachine } from './fleet-objects.ts';

interface Given {
  readonly poolPrefix?: string;
  readonly defaultAdoptPoolPrefix?: string;
}

/** Nothing is guessed: under a wrong prefix a host would wait for a machine that never comes. */
export function choosePoolPrefix(given: Given, machine: FleetMachine | undefined): string {
  const own = given.poolPrefix ?? machine?.spec.adoptPoolPrefix;
  const prefix = poolPrefixOf(own, given.defaultAdoptPoolPrefix ?? '');
  if (prefix === undefined)
    throw new Error('which pool does it go to? Nothing says so; give --pool-prefix PREFIX');
  const parsed = PoolPrefix.safeParse(prefix);
  if (!parsed.success) throw new Error(parsed.error.issues[0]?.message ?? 'this is no pool prefix');
  return parsed.data;
}
