import { expect, it } from 'vitest';
import { TestClock } from '../../test/test-clock.ts';
import { WebhookMisses } from './webhook-misses.ts';

it('each is counted, and one in a minute is told, with how many there were since the last', () => {
  const clock = new TestClock(0);
  const counted: string[] = [];
  const told: object[] = [];
  const misses = new WebhookMisses({
    clock,
    counted: (miss) => void counted.push(miss),
    say: (_happened, about) => void told.push(about),
  });
  const error = new Error('no database');
  misses.note('unavailable', error);
  clock.jump(59_999);
  misses.note('no_room', error);
  expect(told).toEqual([{ webhooks: 1, why: 'unavailable', error }]);
  clock.jump(1);
  misses.note('unavailable', error);
  expect(counted).toEqual(['unavailable', 'no_room', 'unavailable']);
  expect(told.at(-1)).toEqual({ webhooks: 2, why: 'unavailable', error });
});
