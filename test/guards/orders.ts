/** Guards of orders on hosts: whose order counts, and for how long. */
import type { Guard, Place } from './guard.ts';
import { servingMachine } from './serving-machine.ts';

const withdrawal: Place = {
  file: 'src/fleet/host-table.ts',
  text: "return isWithdrawn(host, view) ? { ...refused, step: 'withdraw' } : refused;",
  without: 'return refused;',
};

export const orders: readonly Guard[] = [
  {
    id: 'no order is carried out under a machine that lives',
    places: [
      {
        file: 'src/fleet/host-situation.ts',
        text: 'if (spec.release !== undefined && !isOrderRefused(host, view))',
        without: 'if (spec.release !== undefined)',
      },
      withdrawal,
    ],
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
    ],
    story: 'order-as-its-machine-leaves',
    noticed: { by: 'never', saying: 'never wipes mini-1' },
  },
  {
    id: 'no order is carried out under a machine that says it has the host',
    places: [servingMachine],
    story: 'order-without-a-claim',
    noticed: { by: 'S3', saying: 'reinstall server of the host of mac-a' },
  },
  {
    id: 'a wipe is forgotten with its order',
    places: [
      {
        file: 'src/controllers/host/status.ts',
        text: 'const isOver = hasOldWipe(observed.host);',
        without: 'const isOver = false;',
      },
    ],
    story: 'the-same-order-again',
    noticed: { by: 'expect', saying: 'server mini-1 was wiped 2 times' },
  },
];
