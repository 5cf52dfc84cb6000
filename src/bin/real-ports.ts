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
    return afterAny(ms, then);
  },
};

/** Node runs a timer of more than this at once. */
const timerMaxMs = 2 ** 31 - 1;

function afterAny(ms: number, then: () => void): () => void {
  let timer: NodeJS.Timeout;
  const wait = (left: number): void => {
    timer = setTimeout(
      () => (left > timerMaxMs ? wait(left - timerMaxMs) : then()),
      Math.min(left, timerMaxMs),
    );
  };
  wait(ms);
  return () => clearTimeout(timer);
}

export const realRandom: Random = { next: () => Math.random() };
