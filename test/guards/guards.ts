/** Every guard that is taken out in turn. */
import { givingUp } from './giving-up.ts';
import { orders } from './orders.ts';
import type { Guard } from './guard.ts';
import { handingOut } from './handing-out.ts';
import { keepingPods } from './keeping-pods.ts';
import { liveMachines } from './live-machines.ts';
import { markingPods } from './marking-pods.ts';
import { takingBack } from './taking-back.ts';
import { whoHasAHost } from './who-has-a-host.ts';

export const guards: readonly Guard[] = [
  ...whoHasAHost,
  ...givingUp,
  ...orders,
  ...takingBack,
  ...liveMachines,
  ...handingOut,
  ...markingPods,
  ...keepingPods,
];
