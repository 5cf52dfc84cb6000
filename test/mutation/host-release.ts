/** Mutants of host release: the steps of a release, their order, and who may run them. */
import type { Mutant } from './mutant.ts';
import { wipeOfEarlierUse } from './backing-rules.ts';

export const hostRelease: readonly Mutant[] = [
  {
    id: 'the MacHost of a held host stays',
    edits: [{ at: 'hold-keeps-finalizer', edit: 'return', code: "isHeld ? undefined : 'unkeep'" }],
    story: 'kept-aside-and-machosts-lost',
    noticed: { by: 'expect', message: 'host mini-1 is Quarantined' },
  },
  {
    id: 'a MacHost with a claim or an order stays when its hold ends',
    edits: [
      {
        at: 'claim-or-order-keeps-finalizer',
        edit: 'condition',
        code: 'isHeld === isKept || (isGoing && isHeld)',
      },
    ],
    story: 'kept-aside-deleted-and-let-go',
    noticed: { by: 'expect', message: 'host mini-1 is Reinstalling' },
  },
  {
    id: 'the default pool prefix is used',
    edits: [{ at: 'default-pool-prefix', edit: 'value', code: "poolPrefixOf(requirements.poolPrefix, '')" }],
    story: 'legacy-machine',
    noticed: { by: 'expect', message: 'host mini-1 is Pooled' },
  },
  {
    id: 'a release without a pool is skipped',
    edits: [
      { at: 'no-pool-skips-release', edit: 'return', code: "{ kind: 'pool', poolPrefix: poolPrefix ?? '' }" },
    ],
    story: 'no-pool-to-go-back-to',
    noticed: { by: 'expect', message: 'machine mac-legacy is gone' },
  },
  {
    id: 'no prefix makes no host free',
    edits: [
      { at: 'empty-default-prefix-is-none', edit: 'return', code: 'fallback' },
      { at: 'empty-prefix-matches-nothing', edit: 'return', code: 'name.startsWith(prefix)' },
    ],
    story: 'no-pool-to-go-back-to',
    noticed: { by: 'never', message: 'never renames mini-2' },
  },
  {
    id: 'a machine keeps its finalizer until the release of its host is ordered',
    edits: [
      { at: 'finalizer-waits-for-order', edit: 'return', code: 'goes(observed)' },
      { at: 'read-host-before-finalizer-goes', edit: 'delete' },
    ],
    story: 'owner-garbage-collected',
    noticed: { by: 'expect', message: 'host mini-1: Stranded' },
  },
  {
    id: 'a deleted machine does not wait for the wipe',
    edits: [
      {
        at: 'deletion-does-not-wait-for-wipe',
        edit: 'replace',
        code: `if (host?.spec?.release !== undefined) return { reason: 'Releasing', detail: 'it waits' };
  if (host === undefined || !mustRelease(host, machine, isShared)) return goes(observed);`,
      },
    ],
    story: 'roll',
    noticed: { by: 'expect', message: '2 Machines of the MachineDeployment are available' },
  },
  {
    id: 'a refusal of the billing floor becomes a scheduled end',
    edits: [{ at: 'billing-floor-schedules-deletion', edit: 'replace', code: 'throw error;' }],
    story: 'billing-floor',
    noticed: { by: 'expect', message: '"schedules the end of mini-1" happened 1 time' },
  },
  {
    id: 'a bare 412 is the billing floor too',
    edits: [
      { at: 'bare-412-is-billing-floor', edit: 'condition', code: "fields['precondition'] !== undefined" },
    ],
    story: 'billing-floor-bare',
    noticed: { by: 'expect', message: 'ends the rent of mini-1' },
  },
  {
    id: 'a machine marked for termination ends the rent',
    edits: [{ at: 'terminate-policy', edit: 'delete' }],
    story: 'terminate',
    noticed: { by: 'never', message: 'never wipes mini-1' },
  },
  {
    id: 'only the termination mark ends the rent',
    edits: [{ at: 'terminate-policy', edit: 'replace', code: "return { kind: 'terminate' };" }],
    story: 'terminate',
    noticed: { by: 'never', message: 'never ends the rent of mini-2' },
  },
  {
    id: 'a wipe counts only when its start was observed',
    edits: [wipeOfEarlierUse, { at: 'unanswered-wipe-is-lost-in-time', edit: 'return', code: "'completed'" }],
    story: 'wipe-without-an-answer',
    noticed: { by: 'S4', message: 'with files of' },
  },
  {
    id: 'a wipe that does not begin is requested again',
    edits: [{ at: 'unanswered-wipe-is-lost-in-time', edit: 'return', code: "'asked'" }],
    story: 'wipe-without-an-answer',
    noticed: { by: 'expect', message: 'machine mac-b has mini-1' },
  },
  {
    id: 'no action reaches a held host',
    edits: [{ at: 'held-host-is-untouched', edit: 'delete' }],
    story: 'detach',
    noticed: { by: 'expect', message: 'host mini-1 is Quarantined' },
  },
  {
    id: 'a replica without the lease wipes nothing',
    edits: [{ at: 'only-leader-wipes', edit: 'condition', code: '!mayAct' }],
    story: 'paused-leader-wakes',
    noticed: { by: 'S3', message: 'reinstall server of the host of mac-b' },
  },
  {
    id: 'an order to terminate is no order to wipe',
    edits: [
      {
        at: 'terminate-order-is-not-release',
        edit: 'replace',
        code: `if (spec.release !== undefined && !isOrderRefused(host, ownership))
    return 'release';`,
      },
      // Such an order has no pool prefix, which alone prevents a wipe of the host.
      { at: 'wipe-needs-pool-prefix', edit: 'delete' },
    ],
    story: 'ordered-by-a-person',
    noticed: { by: 'never', message: 'never wipes mini-2' },
  },
  {
    id: 'only the provider says that a server is gone',
    edits: [{ at: 'assert-server-gone', edit: 'delete' }],
    story: 'deleted-while-machosts-are-lost',
    noticed: { by: 'expect', message: 'machine mac-a has mini-1' },
  },
  {
    id: 'an order waits while its host is held',
    edits: [
      {
        at: 'held-host-is-untouched',
        edit: 'condition',
        code: 'ownership.heldBy !== undefined && spec.release === undefined',
      },
    ],
    story: 'kept-aside-while-its-machine-goes',
    noticed: { by: 'expect', message: 'host mini-1 is Quarantined' },
  },
  {
    id: 'a host is never kept for an image',
    edits: [
      {
        at: 'wipe-without-pinned-image',
        edit: 'replace',
        code: `if (id === undefined) throw new FleetError('rejected', { reason: 'OSNotPublished', message: 'none' });
    return { id, isMissing: false };`,
      },
    ],
    story: 'no-image-of-the-family',
    noticed: { by: 'expect', message: 'host mini-1 is Reinstalling, OSPinUnavailable' },
  },
  {
    id: 'a person may mark a server as gone',
    edits: [
      { at: 'operator-marks-server-gone', edit: 'condition', code: '!servedBy(machine).includes(hostId)' },
    ],
    story: 'nobody-to-ask',
    noticed: { by: 'expect', message: 'machine mac-a is gone' },
  },
];
