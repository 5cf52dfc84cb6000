/** The real clock and the real chance: the only place in the product that touches them. */
import type { Clock } from '../platform/clock.ts';
import type { Random } from '../platform/random.ts';

export const realClock: Clock = {
  now: () => Date.now(),
  after: (ms, then) => {
    if (ms === 0) {
      // A timer of zero waits a whole millisecond, which is most of the time a write takes.
      const round = setImmediate(then);
      return () => clearImmediate(round);
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

/** While somebody takes them, such promises do not end the process. */
export function realUnhandled(take: (error: unknown) => void): () => void {
  process.on('unhandledRejection', take);
  return () => void process.off('unhandledRejection', take);
}

const eventsPerRound = 256;

/**
 * What Node calls the next tick comes when no promise can go on any more, much sooner than a turn of the event loop; a
 * whole turn now and then lets signals, messages and output have theirs.
 */
export function realDrain(): () => Promise<void> {
  let left = eventsPerRound;
  return () => {
    left -= 1;
    if (left > 0) return new Promise((resolve) => process.nextTick(resolve));
    left = eventsPerRound;
    return new Promise((resolve) => void setImmediate(resolve));
  };
}

export const realRandom: Random = { next: () => Math.random() };
