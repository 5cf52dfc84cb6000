/** Mutants of release orders: whose order counts, and for how long. */
import type { Mutant, Edit } from './mutant.ts';
import { orderUnderLiveMachine, wipeOfEarlierUse } from './backing-rules.ts';

const withdrawal: Edit = {
  at: 'refused-order-is-canceled',
  edit: 'return',
  code: "{ ...refused, step: 'none' }",
};

export const releaseOrders: readonly Mutant[] = [
  {
    id: 'no order is carried out under a machine that lives',
    edits: [orderUnderLiveMachine],
    story: 'order-under-a-living-machine',
    noticed: { by: 'S3', message: 'reinstall server of the host of mac-a' },
  },
  {
    id: 'an order that is refused is taken off',
    edits: [withdrawal],
    story: 'order-under-a-living-machine',
    noticed: { by: 'never', message: 'never wipes mini-1' },
  },
  {
    id: 'what the machine wants counts, and not what somebody ordered meanwhile',
    edits: [
      { at: 'machine-order-replaces-earlier', edit: 'replace', code: 'return release !== undefined;' },
      orderUnderLiveMachine,
    ],
    story: 'order-as-its-machine-leaves',
    noticed: { by: 'never', message: 'never wipes mini-1' },
  },
  {
    id: 'no order is carried out under a machine that says it has the host',
    edits: [orderUnderLiveMachine],
    story: 'order-without-a-claim',
    noticed: { by: 'S3', message: 'reinstall server of the host of mac-a' },
  },
  {
    id: 'a wipe is forgotten with its order',
    edits: [wipeOfEarlierUse, { at: 'old-wipe-is-forgotten', edit: 'delete' }],
    story: 'the-same-order-again',
    noticed: { by: 'expect', message: 'server mini-1 was wiped 2 times' },
  },
];
