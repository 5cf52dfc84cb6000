/** Guards of orders on hosts: whose order counts, and for how long. */
import type { Guard, Place } from './guard.ts';
import { orderUnderLiveMachine } from './second-lines.ts';

const withdrawal: Place = {
  file: 'src/fleet/host-table.ts',
  text: "return { ...refused, step: ownership.heldBy === undefined ? 'withdraw' : 'none' };",
  without: "return { ...refused, step: 'none' };",
};

export const orders: readonly Guard[] = [
  {
    id: 'no order is carried out under a machine that lives',
    places: [orderUnderLiveMachine],
    story: 'order-under-a-living-machine',
    noticed: { by: 'S3', saying: 'reinstall server of the host of mac-a' },
  },
  {
    id: 'an order that is refused is taken off',
    places: [withdrawal],
    story: 'order-under-a-living-machine',
    noticed: { by: 'never', saying: 'never wipes mini-1' },
  },
  {
    id: 'what the machine wants counts, and not what somebody ordered meanwhile',
    places: [
      {
        file: 'src/controllers/machine/order.ts',
        text: 'if (release === undefined) return false;',
        without: 'return release !== undefined;',
      },
      orderUnderLiveMachine,
    ],
    story: 'order-as-its-machine-leaves',
    noticed: { by: 'never', saying: 'never wipes mini-1' },
  },
  {
    id: 'no order is carried out under a machine that says it has the host',
    places: [orderUnderLiveMachine],
    story: 'order-without-a-claim',
    noticed: { by: 'S3', saying: 'reinstall server of the host of mac-a' },
  },
  {
    id: 'a wipe is forgotten with its order',
    places: [
      {
        file: 'src/controllers/host/status.ts',
        text: '...(hasOldWipe(observed) && { wipe: null }), ',
        without: '',
      },
    ],
    story: 'the-same-order-again',
    noticed: { by: 'expect', saying: 'server mini-1 was wiped 2 times' },
  },
];
