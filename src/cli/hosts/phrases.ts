/** The terms of the host rules, as sentences. */
import type { HostState } from '../../api/kinds/mac-host.ts';
import { reasons } from '../../api/conditions/reasons.ts';
import { ineligibilityTexts, type Ineligibility } from '../../hosts/state/candidates.ts';
import type { ObservedState, DesiredState } from '../../hosts/state/host-state.ts';

export const wantedWords: Readonly<Record<DesiredState, string>> = {
  free: 'no machine has the host, and its disk is clean',
  unowned: 'no machine has the host, but its disk was used',
  held: 'an operator has put the host on hold',
  owned: 'a live machine holds its claim',
  'spoken-for': 'a live machine speaks for the host without a claim on it',
  abandoned: 'the machine that claims the host no longer exists',
  release: 'the host is to be wiped and offered again',
  terminate: 'its rent is to be ended',
};

export const seenWords: Readonly<Record<ObservedState, string>> = {
  unseen: 'no inventory has listed the host yet',
  gone: 'the provider no longer lists the host',
  scheduled: 'the provider will end its rent',
  faulty: 'the provider reports the host as faulty or locked',
  wiping: 'its disk is being wiped',
  'half-wiped': 'a wipe of the host was interrupted and does not run any more',
  busy: 'the host is not usable at the moment',
  ready: 'the host is ready',
};

const meanings: Readonly<Record<string, string>> = reasons;

/** A reason of another version is unknown here. */
export function meaningOf(reason: string): string {
  return meanings[reason] ?? 'This version does not know this reason.';
}

interface Verdict {
  readonly state: HostState;
  readonly reason: string;
}

const changes: Readonly<Record<HostState, string>> = {
  Pooled: 'a machine that needs this zone, type and macOS takes the host',
  Pending:
    'the host stays unchanged for ten minutes and two inventories: then a machine may take it. After an hour: muster release HOST',
  Adopting: 'the provider accepts the rename of the server to the name of its machine',
  Owned: 'its machine is deleted, or detached: muster detach NAMESPACE/MACHINE',
  Releasing: 'the provider starts the wipe',
  Reinstalling: 'the provider finishes the wipe, which takes 15 to 20 minutes',
  Stranded: 'an operator decides: muster release HOST, or muster quarantine HOST',
  Quarantined: 'an operator lifts the hold: muster unquarantine HOST',
  Terminating: 'the provider ends the rent; nothing brings it back',
  Foreign: 'an operator renames the server at the provider to a name of the pool',
  Broken:
    'the host is repaired; a rented host without a machine can be given back: muster terminate HOST --reason TEXT',
};

/** Reasons that are more specific than their state. */
const changesByReason: Readonly<Record<string, string>> = {
  NotYetObserved: 'an inventory of its zone completes',
  HostGone: 'the provider lists the host again; otherwise delete its machine',
  RentEnds: 'an operator cancels the scheduled deletion at the provider',
  SpokenFor:
    'the machine that speaks for the host claims it, is deleted, or is detached: muster detach NAMESPACE/MACHINE',
  ServerNameTaken: 'the other server no longer has the name of the machine',
  NamedByPerson:
    'an operator puts the host on hold or releases it: muster quarantine HOST, or muster release HOST',
  RenamedElsewhere: 'an operator gives the server the name of its machine again',
  Settling: 'the host stays unchanged for a few minutes',
};

/** `host` replaces HOST in the commands. */
export function changeOf({ state, reason }: Verdict, host: string): string {
  return (changesByReason[reason] ?? changes[state]).replaceAll('HOST', host);
}

/** For a deleted MacHost that its hold still keeps. */
export const goingText =
  'its MacHost was deleted; once the hold is lifted, the object and all its data go, and the next inventory makes another MacHost from the server name';

/** `3 of another type`, the most frequent first. */
export function ineligibilityLines(counts: ReadonlyMap<Ineligibility, number>): readonly string[] {
  return [...counts]
    .toSorted(([one, many], [other, more]) => more - many || (one < other ? -1 : 1))
    .map(([reason, count]) => `${count} ${count === 1 ? 'host' : 'hosts'}: ${ineligibilityTexts[reason]}`);
}
