/** Guards of live machines and of persons: nothing is taken from a machine that speaks for a host, or from a person who named or held one. */
import type { Guard, Place } from './guard.ts';
import { orderUnderLiveMachine, ownNameFirst, spokenFor } from './second-lines.ts';

/** What the manager writes as soon as an operator has cleared the server id of a paused machine. */
const holdOfCleared: Place = {
  file: 'src/controllers/machine/operator-hold.ts',
  text: 'if (host.spec?.hold !== undefined || !isClearedHost(host, machine)) return false;',
  without: 'return false;',
};

const namedByPerson: Place = {
  file: 'src/fleet/host-cells.ts',
  text: 'if (isNamedByPerson(situation.name, situation.host)) return leftToPerson;',
  without: '',
};

export const liveMachines: readonly Guard[] = [
  {
    id: 'a live machine that speaks for a server protects it from the sweep',
    places: [spokenFor, orderUnderLiveMachine],
    story: 'restored-below-a-paused-cluster',
    noticed: { by: 'never', saying: 'never wipes mini-1' },
  },
  {
    id: 'an older machine without annotation speaks by name and providerID',
    places: [spokenFor, orderUnderLiveMachine, holdOfCleared],
    story: 'older-machine-cleared-while-paused',
    noticed: { by: 'never', saying: 'never wipes mini-' },
  },
  {
    id: 'a cleared server id is not written back from the providerID',
    places: [
      {
        file: 'src/controllers/machine/plan.ts',
        text: 'if (isCleared(machine)) return isGuarded(machine) ? holdFirst(observed) : undefined;',
        without: '',
      },
      {
        file: 'src/controllers/machine/order.ts',
        text: 'if (isClearedHost(host, machine)) return false;',
        without: '',
      },
      holdOfCleared,
    ],
    story: 'cleared-and-deleted-report-only',
    noticed: { by: 'never', saying: 'never wipes mini-1' },
  },
  {
    id: 'the host of a cleared machine is held',
    places: [holdOfCleared],
    story: 'clear-server-id-paused',
    noticed: { by: 'expect', saying: 'host mini-1 is Quarantined' },
  },
  {
    id: 'a machine that is unpaused takes its held host back',
    places: [
      {
        file: 'src/controllers/machine/plan.ts',
        text: 'if (heldFor !== undefined) return resumed(heldFor);',
        without: '',
      },
    ],
    story: 'cleared-and-unpaused',
    noticed: { by: 'expect', saying: 'machine mac-a has mini-1' },
  },
  {
    id: 'the premise of an order of the sweep is proved again',
    places: [namedByPerson],
    story: 'renamed-while-the-wipe-is-refused',
    noticed: { by: 'expect', saying: 'host mini-1 is Foreign' },
  },
  {
    id: 'an order of the sweep falls when the machine comes back',
    places: [orderUnderLiveMachine],
    story: 'renamed-while-the-wipe-is-refused',
    noticed: { by: 'S3', saying: 'reinstall server of the host of mac-old-2' },
  },
  {
    id: 'a server that a person renames is left to that person',
    places: [namedByPerson],
    story: 'taken-by-a-person',
    noticed: { by: 'expect', saying: 'is Foreign' },
  },
  {
    id: 'a pending name is not taken back by the sweep',
    places: [
      {
        file: 'src/controllers/sweep/plan.ts',
        text: "if (isClaimPendingName(name)) return 'an adoption may be under way; to give it back: muster release';",
        without: '',
      },
      {
        file: 'src/controllers/sweep/plan.ts',
        text: 'if (isClaimStyleName(name, claimPrefix)) return true;',
        without: 'if (isClaimStyleName(name, claimPrefix) || isClaimPendingName(name)) return true;',
      },
    ],
    story: 'pending-name-on-a-used-host',
    noticed: { by: 'never', saying: 'never wipes mini-1' },
  },
  {
    id: 'a clean host that kept a pending name is free again',
    places: [
      {
        file: 'src/fleet/candidates.ts',
        text: 'return wish.ripePending?.has(id) === true && cameFrom === wish.poolPrefix;',
        without: 'return wish.ripePending?.has(id) === true && cameFrom === undefined;',
      },
    ],
    story: 'pending-name-left-behind',
    noticed: { by: 'expect', saying: 'machine mac-a has mini-1' },
  },
  {
    id: 'a machine takes the server of its own name',
    places: [
      {
        file: 'src/controllers/machine/find-host.ts',
        text: 'if (own !== undefined) return intend(own,',
        without: 'if (own === undefined) return intend(named.length.toString(),',
      },
    ],
    story: 'adoption-of-the-older-tool-cut-off',
    noticed: { by: 'expect', saying: 'machine mac-a has mini-1' },
  },
  {
    id: 'a machine whose name a server carries takes no other server',
    places: [ownNameFirst],
    story: 'same-name-again',
    noticed: { by: 'expect', saying: 'machine mac-a has mini-1' },
  },
  {
    id: 'the order of the last owner stands against a machine that was created later under its name',
    places: [
      {
        file: 'src/fleet/ownership.ts',
        text: '!isLaterNamesake(speaker, order, spec) && ',
        without: '',
      },
    ],
    story: 'name-used-again-during-a-wipe',
    noticed: { by: 'expect', saying: 'machine mac-a says ServerNameTaken' },
  },
  {
    id: 'a machine that is being deleted gets nothing',
    places: [
      {
        file: 'src/fleet/host-cells.ts',
        text: "const mayName = ownership.claimant === 'live' && means && seenOf(host) === 'ready';",
        without: "const mayName = ownership.claimant !== 'none' && means && seenOf(host) === 'ready';",
      },
      // As if the machine's own controller had not come yet.
      {
        file: 'src/controllers/machine/giving-up.ts',
        text: "if (!isGivenUpBy(host, current, shared)) return 'overtaken';",
        without: "return 'overtaken';",
      },
    ],
    story: 'claimed-and-deleted-at-once',
    noticed: { by: 'never', saying: 'never renames mini-1 to mac-a' },
  },
  {
    id: 'a wipe that was refused is asked for again soon',
    places: [
      {
        file: 'src/fleet/wipe-progress.ts',
        text: "if (wipe.refusedAt !== undefined) return 'none';",
        without: '',
      },
    ],
    story: 'wipe-refused-for-a-moment',
    noticed: { by: 'expect', saying: 'host mini-1 is Reinstalling' },
  },
  {
    id: 'hosts that no machine answers for are counted under any name',
    places: [
      {
        file: 'src/controllers/sweep/plan.ts',
        text: "return state === 'Stranded' || (state === 'Foreign' && reason !== 'NotYetObserved');",
        without: "return state === 'Stranded' || (view.claimPrefix === '' && state === 'Foreign');",
      },
    ],
    story: 'counted-in-both-modes',
    noticed: { by: 'expect', saying: 'gauge scaleway_orphan_servers is 2' },
  },
];
