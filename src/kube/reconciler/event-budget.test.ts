import { expect, it } from 'vitest';
import { EventBudget } from './event-budget.ts';

function budget() {
  const time = { now: 10_000 };
  const clock = { now: () => time.now, after: () => () => undefined };
  return { time, budget: new EventBudget(clock, { burst: 1, refillMs: 1000, subjectsMax: 2 }) };
}

it('a clock that was set back costs a subject at most one refill time', () => {
  const { time, budget: left } = budget();
  expect(left.take('a')).toBe(true);
  time.now = 0;
  expect(left.take('a')).toBe(false);
  time.now = 1000;
  expect(left.take('a')).toBe(true);
});

it('drops the subject with the oldest write first', () => {
  const { budget: left } = budget();
  expect(['a', 'b', 'a', 'c', 'a', 'b'].map((subject) => left.take(subject))).toEqual([
    true,
    true,
    false,
    true,
    false,
    true,
  ]);
});
