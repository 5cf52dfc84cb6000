/** For tests that talk to real sockets and so live in real time: the clock and the chance of this machine. */
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
