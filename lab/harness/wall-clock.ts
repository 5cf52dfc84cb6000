/** For tests with real sockets and so in real time: the clock and the randomness of this machine. */
import type { Clock } from '../../src/platform/clock.ts';
import type { Random } from '../../src/platform/random.ts';

export const wallClock: Clock = {
  now: () => Date.now(),
  after: (ms, then) => {
    const timer = setTimeout(then, ms);
    return () => clearTimeout(timer);
  },
};

export const anyRandom: Random = { next: () => Math.random() };
