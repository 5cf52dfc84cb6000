/** What is logged about an outage that is noticed once a second. */
import { beforeEach, expect, it } from 'vitest';
import { TestClock } from '../../../lab/harness/test-clock.ts';
import { OutageLog } from './outage-log.ts';

let clock: TestClock;
let said: [string, number][];
let loss: OutageLog;
beforeEach(() => {
  clock = new TestClock(0);
  said = [];
  const say = (message: string, { seconds } = {} as { seconds?: unknown }): void =>
    void said.push([message, Number(seconds)]);
  loss = new OutageLog({ lost: 'gone', isBack: 'back' }, { clock, logger: { info: say, warn: say } });
});

async function lostFor(seconds: number): Promise<void> {
  for (let tries = 0; tries < seconds; tries += 1) {
    loss.lost(new Error('refused'));
    await clock.pass(1000);
  }
}

it('an outage is logged at once and then once a minute, and its end with its duration', async () => {
  loss.isWell();
  await lostFor(150);
  expect(loss.lastsMs).toBe(150_000);
  loss.isWell();
  expect(loss.lastsMs).toBeUndefined();
  expect(said).toEqual([
    ['gone', 0],
    ['gone', 60],
    ['gone', 120],
    ['back', 150],
  ]);
});

it('each outage is logged, however short the time since the last', async () => {
  await lostFor(2);
  loss.isWell();
  loss.isWell();
  await lostFor(2);
  expect(said.map(([message]) => message)).toEqual(['gone', 'back', 'gone']);
});
