/** Lines of the product that stand behind several guards: a story notices a guard only when its second line is gone, too. */
import type { Place } from './guard.ts';

/** No order is carried out while a live machine speaks for the host. */
export const orderUnderLiveMachine: Place = {
  file: 'src/fleet/host-situation.ts',
  text: 'return release !== undefined && objectorsTo(release, host, ownership).length > 0;',
  without: 'return false;',
};

/** A host for which a machine speaks without a claim is not taken back. */
export const spokenFor: Place = {
  file: 'src/fleet/host-situation.ts',
  text: "if (isSpokenFor(host, ownership)) return 'spoken-for';",
  without: '',
};

/** A machine takes the server of its own name before any other. */
export const ownNameFirst: Place = {
  file: 'src/controllers/machine/find-host.ts',
  text: 'if (isNamed) return takeNamed(observed);',
  without: '',
};

/** A machine claims again the server of its own name, which it means already. */
export const ownNameAgain: Place = {
  file: 'src/controllers/machine/keep-host.ts',
  text: 'return ownServer(named, machine)?.metadata.name === host.metadata.name;',
  without: 'return false;',
};

/** A machine takes its host back from the claim of a machine that does not exist. */
export const claimOfNone: Place = {
  file: 'src/controllers/machine/keep-host.ts',
  text: "return own?.ownership.claimant === 'missing';",
  without: 'return false;',
};
