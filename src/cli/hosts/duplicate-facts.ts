/** The findings of the duplicates controller, for `muster why`. */
import { detailOf, duplicatesIn, type Duplicate } from '../../hosts/state/duplicates.ts';
import type { Fleet } from './fleet-state.ts';
import type { Fact } from './explanation.ts';

/** Other machines that name the host are listed with its claim. */
export function duplicatesOfHost(id: string, fleet: Fleet): readonly Fact[] {
  return factsOf(fleet, (one) => {
    if (one.kind === 'SpareHost') return one.hosts.some((host) => host.id === id);
    return one.kind === 'StandOff' && one.host.id === id;
  });
}

export function duplicatesOfMachine(uid: string, fleet: Fleet): readonly Fact[] {
  return factsOf(fleet, (one) => {
    const involved = one.kind === 'SpareHost' ? [one.machine] : one.machines;
    return involved.some(({ metadata }) => metadata.uid === uid);
  });
}

function factsOf(fleet: Fleet, isMeant: (duplicate: Duplicate) => boolean): readonly Fact[] {
  return duplicatesIn(fleet)
    .filter(isMeant)
    .map((one): Fact => [
      'warning',
      `${one.kind === 'SpareHost' ? `machine ${one.machine.metadata.name}` : `host ${one.host.id}`}: ${detailOf(one)}`,
    ]);
}
