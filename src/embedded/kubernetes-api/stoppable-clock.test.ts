import { expect, it } from 'vitest';
import { VirtualClock } from '../../../lab/contracts/kubernetes-api/virtual-clock.ts';
import { StoppableClock } from './stoppable-clock.ts';

it('runs its timers like the clock below, until it is stopped', () => {
  const below = new VirtualClock(0);
  const clock = new StoppableClock(below);
  const ran: string[] = [];
  clock.after(1, () => ran.push('first'));
  const cancel = clock.after(2, () => ran.push('cancelled'));
  clock.after(3, () => ran.push('too late'));
  cancel();
  below.runNext();
  clock.stop();
  clock.after(1, () => ran.push('after the stop'));
  expect(below.runNext()).toBe(false);
  expect(ran).toEqual(['first']);
});
