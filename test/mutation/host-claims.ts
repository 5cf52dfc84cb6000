/** Mutants of host claims: only a free host is claimed, and a host has one owner. */
import type { Edit, Mutant } from './mutant.ts';
import { claimOfNone, orderUnderLiveMachine, ownNameAgain, ownNameFirst } from './backing-rules.ts';

/** The second safeguard behind some of these mutants: a machine remembers its last claim. */
const rememberedClaim: Edit = {
  at: 'remember-last-claim',
  edit: 'condition',
  code: 'last === undefined || last.hostId !== undefined',
};

export const hostClaims: readonly Mutant[] = [
  {
    id: 'a machine continues with the host in its annotation',
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
      {
        at: 'adoption-drops-claim-after-rename',
        edit: 'return',
        code: "step('Adopting', 'rename-to-machine')",
      },
    ],
    story: 'a-person-sets-up-a-host',
    noticed: { by: 'expect', message: 'host mini-1 is Foreign' },
  },
  {
    id: 'a rename of an owned host counts as deliberate',
    edits: [{ at: 'owned-host-keeps-console-name', edit: 'delete' }],
    story: 'renamed-in-the-console',
    noticed: { by: 'expect', message: 'host mini-1 is Owned, RenamedElsewhere' },
  },
  {
    id: 'a host whose rent ends is not claimed',
    edits: [
      { at: 'scheduled-deletion-is-ending', edit: 'delete' },
      { at: 'candidate-not-scheduled-for-deletion', edit: 'delete' },
    ],
    story: 'rent-that-ends',
    noticed: { by: 'never', message: 'never' },
  },
  {
    id: 'a host of other machines is not wiped',
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
    id: 'no host is claimed for a paused machine',
    edits: [
      { at: 'paused-machine-gets-no-host', edit: 'delete' },
      { at: 'paused-machine-may-not-claim', edit: 'condition', code: 'isDeleting(machine)' },
    ],
    story: 'clear-server-id-paused',
    noticed: { by: 'expect', message: 'machine mac-a has no host' },
  },
  {
    id: 'a machine without its server id claims the same host again',
    edits: [
      { at: 'machine-takes-claimed-host-first', edit: 'return', code: 'findOther(observed, records)' },
      ownNameFirst,
      rememberedClaim,
    ],
    story: 'clear-server-id',
    noticed: { by: 'expect', message: 'machine mac-a has mini-1' },
  },
  {
    id: 'an image matches its whole family',
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
    id: 'a machine with a provisioned status claims its host again',
    edits: [{ at: 'bound-machine-binds-again', edit: 'delete' }, ownNameAgain],
    story: 'lost-machosts',
    noticed: { by: 'expect', message: 'host mini-1 is claimed by mac-a' },
  },
  {
    id: 'a machine whose status was lost restores its server id',
    edits: [{ at: 'restore-binding-first', edit: 'delete' }, ownNameFirst, ownNameAgain],
    story: 'restored-without-status',
    noticed: { by: 'expect', message: 'machine mac-a has mini-1' },
  },
  {
    id: 'a restored machine takes over the claim of its former uid',
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
    id: 'a confirmed empty listing is believed',
    edits: [
      { at: 'believe-true-empty-listing', edit: 'value', code: 'isEmpty ? [] : missing.slice(0, missesMax)' },
    ],
    story: 'last-server-gone',
    noticed: { by: 'expect', message: 'machine mac-a says HostGone' },
  },
  {
    id: 'a host with a used disk is not claimed',
    edits: [
      { at: 'candidate-not-used', edit: 'delete' },
      { at: 'candidate-not-claimed', edit: 'delete' },
    ],
    story: 'renamed-into-the-pool',
    noticed: { by: 'S4', message: 'mac-b is given' },
  },
  {
    id: 'no host is claimed below a paused Cluster',
    edits: [{ at: 'paused-cluster-blocks', edit: 'delete' }],
    story: 'paused-cluster',
    noticed: { by: 'expect', message: '0 machines have a host' },
  },
  {
    id: 'a machine below a paused Cluster is requeued',
    edits: [
      {
        at: 'paused-cluster-is-polled',
        edit: 'replace',
        code: "if (clusterReadiness === 'paused') return { reason: 'Paused', detail: 'the Cluster of the machine is paused' };",
      },
    ],
    story: 'paused-cluster',
    noticed: { by: 'expect', message: '1 machine has a host' },
  },
  {
    id: 'a machine whose host is held claims no other',
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
