/** Mutants of host claims: only a free host is claimed, and a host has one owner. */
import type { Edit, Mutant } from './mutant.ts';
import { claimOfNone, orderUnderLiveMachine, ownNameAgain, ownNameFirst } from './backing-rules.ts';

/** The second line behind some of these: who has claimed a host before remembers it. */
const rememberedClaim: Edit = {
  at: 'remember-last-claim',
  edit: 'condition',
  code: 'last === undefined || last.hostId !== undefined',
};

export const hostClaims: readonly Mutant[] = [
  {
    id: 'a machine goes on with the host that it means',
    edits: [
      {
        at: 'machine-keeps-bound-host',
        edit: 'return',
        code: "(machine.status?.serverID ?? '') === '' ? findHost(observed) : keepHost(observed)",
      },
    ],
    story: 'crash-after-claim',
    noticed: { by: 'expect', message: 'machine mac-a has mini-1' },
  },
  {
    id: 'only a pool name makes a host free',
    edits: [
      { at: 'candidate-needs-pool-name', edit: 'delete' },
      { at: 'adoption-stops-at-name-of-person', edit: 'delete' },
      { at: 'adoption-drops-claim-after-rename', edit: 'return', code: "step('Adopting', 'promote')" },
    ],
    story: 'a-person-sets-up-a-host',
    noticed: { by: 'expect', message: 'host mini-1 is Foreign' },
  },
  {
    id: 'who renames an owned host means something',
    edits: [{ at: 'owned-host-keeps-console-name', edit: 'delete' }],
    story: 'renamed-in-the-console',
    noticed: { by: 'expect', message: 'host mini-1 is Owned, RenamedElsewhere' },
  },
  {
    id: 'a host whose rent ends is not given out',
    edits: [
      { at: 'scheduled-deletion-is-ending', edit: 'delete' },
      { at: 'candidate-not-scheduled-for-deletion', edit: 'delete' },
    ],
    story: 'rent-that-ends',
    noticed: { by: 'never', message: 'never' },
  },
  {
    id: 'a host that others have is not wiped under them',
    edits: [
      {
        at: 'shared-host-is-not-given-up',
        edit: 'return',
        code: 'machine.status?.serverID === metadata.name',
      },
      { at: 'skip-release-of-unbound-host', edit: 'delete' },
      { at: 'drop-claim-of-shared-host', edit: 'delete' },
      orderUnderLiveMachine,
    ],
    story: 'three-on-one-host',
    noticed: { by: 'S3', message: 'reinstall server' },
  },
  {
    id: 'nothing is claimed for a machine that is paused',
    edits: [
      { at: 'paused-machine-gets-no-host', edit: 'delete' },
      { at: 'paused-machine-may-not-claim', edit: 'condition', code: 'isDeleting(machine)' },
    ],
    story: 'clear-server-id-paused',
    noticed: { by: 'expect', message: 'machine mac-a has no host' },
  },
  {
    id: 'a machine that forgot its host takes the same one again',
    edits: [
      { at: 'machine-takes-claimed-host-first', edit: 'return', code: 'findOther(observed, records)' },
      ownNameFirst,
      rememberedClaim,
    ],
    story: 'clear-server-id',
    noticed: { by: 'expect', message: 'machine mac-a has mini-1' },
  },
  {
    id: 'an image stands for its family',
    edits: [
      {
        at: 'candidate-of-os-family',
        edit: 'replace',
        code: "['os', ({ status }, { os }) => status.observed?.os?.name !== os]",
      },
    ],
    story: 'retired-image',
    noticed: { by: 'expect', message: 'machine mac-b has mini-1' },
  },
  {
    id: 'a machine that was served takes its host back',
    edits: [{ at: 'bound-machine-binds-again', edit: 'delete' }, ownNameAgain],
    story: 'lost-machosts',
    noticed: { by: 'expect', message: 'host mini-1 is claimed by mac-a' },
  },
  {
    id: 'a machine whose status was lost says again what served it',
    edits: [{ at: 'restore-binding-first', edit: 'delete' }, ownNameFirst, ownNameAgain],
    story: 'restored-without-status',
    noticed: { by: 'expect', message: 'machine mac-a has mini-1' },
  },
  {
    id: 'a machine takes its host back from itself as it was before',
    edits: [{ at: 'claim-of-earlier-self', edit: 'return', code: 'claim' }, claimOfNone],
    story: 'restored-without-status',
    noticed: { by: 'expect', message: 'host mini-1 is Owned' },
  },
  {
    id: 'a machine says that its server is gone',
    edits: [{ at: 'report-gone-server', edit: 'delete' }],
    story: 'server-gone',
    noticed: { by: 'expect', message: 'machine mac-a says HostGone' },
  },
  {
    id: 'an empty listing that is true is believed',
    edits: [
      { at: 'believe-true-empty-listing', edit: 'value', code: 'isEmpty ? [] : missing.slice(0, missesMax)' },
    ],
    story: 'last-server-gone',
    noticed: { by: 'expect', message: 'machine mac-a says HostGone' },
  },
  {
    id: 'a used disk is not given out',
    edits: [
      { at: 'candidate-not-used', edit: 'delete' },
      { at: 'candidate-not-claimed', edit: 'delete' },
    ],
    story: 'renamed-into-the-pool',
    noticed: { by: 'S4', message: 'mac-b is given' },
  },
  {
    id: 'nothing is claimed below a paused Cluster',
    edits: [{ at: 'paused-cluster-blocks', edit: 'delete' }],
    story: 'paused-cluster',
    noticed: { by: 'expect', message: '0 machines have a host' },
  },
  {
    id: 'a machine below a paused Cluster looks again',
    edits: [
      {
        at: 'paused-cluster-is-polled',
        edit: 'replace',
        code: "if (gate === 'paused') return { reason: 'Paused', detail: 'the Cluster of the machine is paused' };",
      },
    ],
    story: 'paused-cluster',
    noticed: { by: 'expect', message: '1 machine has a host' },
  },
  {
    id: 'a machine whose host is kept aside takes no other',
    edits: [
      {
        at: 'held-host-is-still-claimed',
        edit: 'return',
        code: 'spec.claim?.uid === metadata.uid && spec.release === undefined && spec.hold === undefined',
      },
      rememberedClaim,
    ],
    story: 'forgotten-while-kept-aside',
    noticed: { by: 'expect', message: 'machine mac-a says Quarantined' },
  },
];
