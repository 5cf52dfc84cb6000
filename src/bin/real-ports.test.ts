import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { realClock } from './real-ports.ts';

const month = 30 * 24 * 60 * 60 * 1000;

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

it('a timer of months runs once, after months', () => {
  let runs = 0;
  realClock.after(2 * month, () => void (runs += 1));
  vi.advanceTimersByTime(2 * month - 1);
  expect(runs).toBe(0);
  vi.advanceTimersByTime(month);
  expect(runs).toBe(1);
});

it('a timer of months can be canceled in its second month', () => {
  let runs = 0;
  const cancel = realClock.after(2 * month, () => void (runs += 1));
  vi.advanceTimersByTime(1.5 * month);
  cancel();
  vi.advanceTimersByTime(month);
  expect(runs).toBe(0);
});

it('a timer of zero runs asynchronously, and can be canceled', () => {
  const ran: string[] = [];
  realClock.after(0, () => void ran.push('kept'));
  realClock.after(0, () => void ran.push('ended'))();
  expect(ran).toEqual([]);
  vi.runAllTimers();
  expect(ran).toEqual(['kept']);
});
