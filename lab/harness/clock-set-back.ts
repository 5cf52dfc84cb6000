/** A clock that a test sets back while its timers stay. */
import type { Clock } from '../../src/platform/clock.ts';
import type { TestClock } from './test-clock.ts';

export function settable(clock: TestClock): { readonly own: Clock; readonly setBack: (ms: number) => void } {
  let offset = 0;
  const own: Clock = { now: () => clock.now() + offset, after: (ms, then) => clock.after(ms, then) };
  return { own, setBack: (ms) => void (offset -= ms) };
}
