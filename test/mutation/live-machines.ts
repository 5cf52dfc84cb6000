/** Mutants of ownership: no host is taken from its live machine, or from a person who named or held the host. */
import type { Mutant, Edit } from './mutant.ts';
import { orderUnderLiveMachine, ownNameFirst, spokenFor } from './backing-rules.ts';

/** The hold that the manager writes once an operator has cleared the server id of a paused machine. */
const holdOfCleared: Edit = { at: 'cleared-machine-holds-host', edit: 'replace', code: 'return false;' };

const namedByPerson: Edit = { at: 'name-of-person-stops-steps', edit: 'delete' };

export const liveMachines: readonly Mutant[] = [
  {
    id: 'a live machine that names a server protects it from the sweep',
    edits: [spokenFor, orderUnderLiveMachine],
    story: 'restored-below-a-paused-cluster',
    noticed: { by: 'never', message: 'never wipes mini-1' },
  },
  {
    id: 'an older machine without annotation owns by name and providerID',
    edits: [spokenFor, orderUnderLiveMachine, holdOfCleared],
    story: 'older-machine-cleared-while-paused',
    noticed: { by: 'never', message: 'never wipes mini-' },
  },
  {
    id: 'a cleared server id is not written back from the providerID',
    edits: [
      { at: 'cleared-machine-is-not-restored', edit: 'delete' },
      { at: 'cleared-host-is-not-given-up', edit: 'delete' },
      holdOfCleared,
    ],
    story: 'cleared-and-deleted-report-only',
    noticed: { by: 'never', message: 'never wipes mini-1' },
  },
  {
    id: 'the host of a cleared machine is held',
    edits: [holdOfCleared],
    story: 'clear-server-id-paused',
    noticed: { by: 'expect', message: 'host mini-1 is Quarantined' },
  },
  {
    id: 'a cleared machine stays until its host was listed and is held',
    edits: [
      { at: 'cleared-machine-awaits-hold', edit: 'condition', code: 'true' },
      { at: 'cleared-machine-goes-after-listing', edit: 'delete' },
      { at: 'unseen-host-is-awaited', edit: 'return', code: 'false' },
      { at: 'every-word-of-cleared-machine-counts', edit: 'return', code: 'isNamedAfter(host, machine)' },
    ],
    story: 'cleared-before-the-host-is-seen',
    noticed: { by: 'never', message: 'never wipes mini-1' },
  },
  {
    id: 'a machine whose server id was never written was not provisioned',
    edits: [{ at: 'only-bound-machine-was-served', edit: 'value', code: 'claimant !== undefined' }],
    story: 'paused-in-the-middle-of-its-adoption',
    noticed: { by: 'expect', message: 'host mini-1 is Owned' },
  },
  {
    id: 'a restored paused machine does not count as cleared by an operator',
    edits: [{ at: 'hold-needs-former-server-id', edit: 'delete' }],
    story: 'restored-while-paused',
    noticed: { by: 'expect', message: 'host mini-1 is Owned' },
  },
  {
    id: 'an unpaused machine takes its held host back',
    edits: [{ at: 'unpaused-machine-lifts-hold', edit: 'delete' }],
    story: 'cleared-and-unpaused',
    noticed: { by: 'expect', message: 'machine mac-a has mini-1' },
  },
  {
    id: 'the premise of a sweep order is checked again',
    edits: [namedByPerson],
    story: 'renamed-while-the-wipe-is-refused',
    noticed: { by: 'expect', message: 'host mini-1 is Foreign' },
  },
  {
    id: 'a sweep order is dropped when the machine comes back',
    edits: [orderUnderLiveMachine],
    story: 'renamed-while-the-wipe-is-refused',
    noticed: { by: 'S3', message: 'reinstall server of the host of mac-old-2' },
  },
  {
    id: 'a server renamed by a person is left to that person',
    edits: [namedByPerson],
    story: 'taken-by-a-person',
    noticed: { by: 'expect', message: 'is Foreign' },
  },
  {
    id: 'a MacHost with an owner for the time after its hold stays',
    edits: [
      {
        at: 'record-of-person-keeps-finalizer',
        edit: 'return',
        code: '!isGone && (claim ?? release) !== undefined',
      },
    ],
    story: 'left-to-a-person-while-its-machost-goes',
    noticed: { by: 'expect', message: 'machine mac-a is gone' },
  },
  {
    id: 'a server with a pending name is not reclaimed by the sweep',
    edits: [
      { at: 'reclaim-skips-pending-name', edit: 'delete' },
      {
        at: 'claim-style-name-is-ours',
        edit: 'condition',
        code: 'isClaimStyleName(name, claimPrefix) || isClaimPendingName(name)',
      },
    ],
    story: 'pending-name-on-a-used-host',
    noticed: { by: 'never', message: 'never wipes mini-1' },
  },
  {
    id: 'a clean host with an old pending name is free again',
    edits: [
      {
        at: 'old-pending-host-is-free',
        edit: 'return',
        code: 'requirements.ripePending?.has(id) === true && cameFrom === undefined',
      },
    ],
    story: 'pending-name-left-behind',
    noticed: { by: 'expect', message: 'machine mac-a has mini-1' },
  },
  {
    id: 'a machine takes the server of its own name',
    edits: [
      {
        at: 'claim-server-of-own-name',
        edit: 'replace',
        code: 'if (own === undefined) return intend(named.length.toString(), `the machine takes host ${own}, which already has its name`);',
      },
    ],
    story: 'adoption-of-the-older-tool-cut-off',
    noticed: { by: 'expect', message: 'machine mac-a has mini-1' },
  },
  {
    id: 'a machine claims the host in its annotation again',
    edits: [{ at: 'machine-claims-meant-host-again', edit: 'delete' }],
    story: 'claim-lost-before-the-name',
    noticed: { by: 'expect', message: 'server mini-1 is called mac-a' },
  },
  {
    id: 'an annotation alone does not keep a host from the order of its owner',
    edits: [
      {
        at: 'intent-does-not-share-host',
        edit: 'return',
        code: 'othersOn(ports, host, machine).staying.length > 0',
      },
    ],
    story: 'annotated-with-the-host-of-another',
    noticed: { by: 'expect', message: 'server mini-1 was wiped 1 time' },
  },
  {
    id: 'an annotation alone does not refuse the order of the owner',
    edits: [{ at: 'intent-does-not-object-to-owner', edit: 'return', code: 'false' }],
    story: 'annotated-with-the-host-of-another',
    noticed: { by: 'expect', message: 'server mini-1 was wiped 1 time' },
  },
  {
    id: 'a server that was wiped under the name of a machine is claimed by that machine',
    edits: [{ at: 'wiped-server-keeps-its-name', edit: 'condition', code: 'installEpoch === 0' }],
    story: 'created-while-its-server-is-wiped',
    noticed: { by: 'expect', message: 'machine mac-old-1 has mini-1' },
  },
  {
    id: 'a host and a machine that wait for each other are counted',
    edits: [{ at: 'stand-off-is-counted', edit: 'condition', code: 'true' }],
    story: 'created-again-with-another-system',
    noticed: { by: 'expect', message: 'gauge muster_duplicates StandOff is 1' },
  },
  {
    id: 'a machine whose name a server carries takes no other server',
    edits: [ownNameFirst],
    story: 'same-name-again',
    noticed: { by: 'expect', message: 'machine mac-a has mini-1' },
  },
  {
    id: 'the order of the last owner overrules a later machine of the same name',
    edits: [
      {
        at: 'later-namesake-does-not-object',
        edit: 'return',
        code: `speakers.filter(
    (speaker) =>
      !hasOrdered(speaker, order) &&  !isOverruled(speaker, order),
  )`,
      },
    ],
    story: 'name-used-again-during-a-wipe',
    noticed: { by: 'expect', message: 'machine mac-a says ServerNameTaken' },
  },
  {
    id: 'a machine that is being deleted gets no host',
    edits: [
      {
        at: 'deleting-machine-names-nothing',
        edit: 'value',
        code: "ownership.claimant !== 'none' && means && observedState(host) === 'ready'",
      },
      // As if the machine's own controller had not run yet.
      { at: 'deleting-machine-checks-order-again', edit: 'replace', code: "return 'precondition-lost';" },
    ],
    story: 'claimed-and-deleted-at-once',
    noticed: { by: 'never', message: 'never renames mini-1 to mac-a' },
  },
  {
    id: 'a refused wipe is requested again soon',
    edits: [{ at: 'refused-wipe-is-retried-soon', edit: 'delete' }],
    story: 'wipe-refused-for-a-moment',
    noticed: { by: 'expect', message: 'host mini-1 is Reinstalling' },
  },
  {
    id: 'hosts without an owner are counted under any name',
    edits: [
      {
        at: 'orphan-gauge-counts-foreign',
        edit: 'return',
        code: "state === 'Stranded' || (view.claimPrefix === '' && state === 'Foreign')",
      },
    ],
    story: 'counted-in-both-modes',
    noticed: { by: 'expect', message: 'gauge scaleway_orphan_servers is 2' },
  },
];
