import { expect, it } from 'vitest';
import { TestClock } from '../../../lab/harness/test-clock.ts';
import { RejectedWebhooks } from './rejected-webhooks.ts';

it('each rejection is counted, and one per minute is logged, with the number since the last', () => {
  const clock = new TestClock(0);
  const counted: string[] = [];
  const reported: object[] = [];
  const misses = new RejectedWebhooks({
    clock,
    counted: (miss) => void counted.push(miss),
    say: (_happened, about) => void reported.push(about),
  });
  const error = new Error('no database');
  misses.note('unavailable', error);
  clock.jump(59_999);
  misses.note('no_room', error);
  expect(reported).toEqual([{ webhooks: 1, why: 'unavailable', error }]);
  clock.jump(1);
  misses.note('unavailable', error);
  expect(counted).toEqual(['unavailable', 'no_room', 'unavailable']);
  expect(reported.at(-1)).toEqual({ webhooks: 2, why: 'unavailable', error });
});
