/** Mutants of release orders: which order counts, and for how long. */
import type { Mutant, Edit } from './mutant.ts';
import { orderUnderLiveMachine, wipeOfEarlierUse } from './backing-rules.ts';

const withdrawal: Edit = {
  at: 'refused-order-is-canceled',
  edit: 'return',
  code: "{ ...refused, step: 'none' }",
};

export const releaseOrders: readonly Mutant[] = [
  {
    id: 'no order is carried out under a live machine',
    edits: [orderUnderLiveMachine],
    story: 'order-under-a-living-machine',
    noticed: { by: 'S3', message: 'reinstall server of the host of mac-a' },
  },
  {
    id: 'a refused order is removed',
    edits: [withdrawal],
    story: 'order-under-a-living-machine',
    noticed: { by: 'never', message: 'never wipes mini-1' },
  },
  {
    id: 'the policy of the machine overrides an earlier order',
    edits: [
      { at: 'machine-order-replaces-earlier', edit: 'replace', code: 'return release !== undefined;' },
      orderUnderLiveMachine,
    ],
    story: 'order-as-its-machine-is-deleted',
    noticed: { by: 'never', message: 'never wipes mini-1' },
  },
  {
    id: 'no order is carried out under a machine whose status names the host',
    edits: [orderUnderLiveMachine],
    story: 'order-without-a-claim',
    noticed: { by: 'S3', message: 'reinstall server of the host of mac-a' },
  },
  {
    id: 'the record of a wipe is removed with its order',
    edits: [wipeOfEarlierUse, { at: 'old-wipe-is-forgotten', edit: 'delete' }],
    story: 'the-same-order-again',
    noticed: { by: 'expect', message: 'server mini-1 was wiped 2 times' },
  },
];
