/** The words of the rules of hosts, as sentences for people. */
import type { HostState } from '../../api/kinds/mac-host.ts';
import { reasons } from '../../api/conditions/reasons.ts';
import { refusals, type Refusal } from '../../hosts/state/candidates.ts';
import type { ObservedState, DesiredState } from '../../hosts/state/host-state.ts';

export const wantedWords: Readonly<Record<DesiredState, string>> = {
  free: 'nobody holds it, and nobody did since its last wipe',
  unowned: 'nobody holds it, but its disk was used',
  held: 'held by an operator',
  owned: 'a living machine holds it',
  'spoken-for': 'a living machine speaks for it, and holds no claim on it',
  abandoned: 'a machine holds it that does not exist any more',
  release: 'it is to be wiped and offered again',
  terminate: 'its rent is to be ended',
};

export const seenWords: Readonly<Record<ObservedState, string>> = {
  unseen: 'no inventory has shown it yet',
  gone: 'the provider does not know it any more',
  scheduled: 'the provider will end its rent',
  faulty: 'the provider says that it is faulty, or locked',
  wiping: 'its disk is being wiped',
  'half-wiped': 'a wipe of it was cut off, and nobody is at it any more',
  busy: 'it is not usable at the moment',
  ready: 'it is ready',
};

const meanings: Readonly<Record<string, string>> = reasons;

/** A reason of an older version, or of somebody else, has no meaning here. */
export function meaningOf(reason: string): string {
  return meanings[reason] ?? 'This version does not know this reason.';
}

interface Verdict {
  readonly state: HostState;
  readonly reason: string;
}

const changes: Readonly<Record<HostState, string>> = {
  Pooled: 'a machine that wants its zone, type and macOS takes it',
  Pending:
    'ten minutes and two inventories show it unchanged: then a machine may take it. After an hour: muster release HOST',
  Adopting: 'the manager gives the server the name of its machine, when the provider lets it',
  Owned: 'its machine is deleted, or detached from it: muster detach NAMESPACE/MACHINE',
  Releasing: 'the provider is seen to wipe it',
  Reinstalling: 'the provider finishes the wipe, which takes 15 to 20 minutes',
  Stranded: 'somebody orders what becomes of it: muster release HOST, or muster quarantine HOST',
  Quarantined: 'a person lets it go: muster unquarantine HOST',
  Terminating: 'the provider ends the rent; nothing brings it back',
  Foreign: 'somebody renames the server at the provider to a name of the pool',
  Broken:
    'it is repaired; one that is rented and that no machine has can be given back: muster terminate HOST --reason TEXT',
};

/** Reasons that say more than the state they come with. */
const changesByReason: Readonly<Record<string, string>> = {
  NotYetObserved: 'an inventory of its zone is complete',
  HostGone: 'the provider shows it again; otherwise its machine has to be deleted',
  RentEnds: 'somebody takes the scheduled deletion back at the provider',
  SpokenFor:
    'the machine that speaks for it takes it, or is deleted, or is detached from it: muster detach NAMESPACE/MACHINE',
  ServerNameTaken: 'the other server leaves the name of the machine',
  NamedByPerson: 'a person keeps it aside or gives it back: muster quarantine HOST, or muster release HOST',
  RenamedElsewhere: 'somebody gives the server the name of its machine again',
  Settling: 'it stays as it is for a few minutes',
};

/** `host` is what somebody would type for it. */
export function changeOf({ state, reason }: Verdict, host: string): string {
  return (changesByReason[reason] ?? changes[state]).replaceAll('HOST', host);
}

/** Of a MacHost that was deleted and is kept for its hold. */
export const goingText =
  'somebody deleted its MacHost; once it is let go, that object goes with all that is known of the host, and the next inventory makes another from the name of the server';

/** `3 of another type`, the most frequent first. */
export function refusalLines(counts: ReadonlyMap<Refusal, number>): readonly string[] {
  return [...counts]
    .toSorted(([one, many], [other, more]) => more - many || (one < other ? -1 : 1))
    .map(([refusal, count]) => `${count} ${count === 1 ? 'host' : 'hosts'}: ${refusals[refusal]}`);
}
