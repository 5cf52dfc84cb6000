/** The real clock and random source. The only place in the product that uses them. */
import type { Clock } from '../platform/clock.ts';
import type { Random } from '../platform/random.ts';

export const realClock: Clock = {
  now: () => Date.now(),
  after: (ms, then) => {
    if (ms === 0) {
      // setTimeout(0) waits a whole millisecond, which is most of the time that a write takes.
      const round = setImmediate(then);
      return () => clearImmediate(round);
    }
    return afterAny(ms, then);
  },
};

/** Node runs a timer with a longer delay at once. */
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

/** While subscribed, unhandled rejections do not end the process. */
export function realUnhandled(take: (error: unknown) => void): () => void {
  process.on('unhandledRejection', take);
  return () => void process.off('unhandledRejection', take);
}

const eventsPerRound = 256;

/**
 * process.nextTick runs after all pending promise reactions, much sooner than the next iteration of the event loop.
 * Every 256th call waits for a whole iteration, so that signals, messages and output are processed.
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
