/** The real clock and the real chance: the only place in the product that touches them. */
import type { Clock } from '../runtime/clock.ts';
import type { Random } from '../runtime/random.ts';

export const realClock: Clock = {
  now: () => Date.now(),
  after: (ms, then) => {
    if (ms === 0) {
      // A timer of zero waits a whole millisecond, which is most of the time a write takes.
      const turn = setImmediate(then);
      return () => clearImmediate(turn);
    }
    const timer = setTimeout(then, ms);
    return () => clearTimeout(timer);
  },
};

export const realRandom: Random = { next: () => Math.random() };
