/** What is said and answered while the database is not heard. */
import { beforeEach, expect, it } from 'vitest';
import { TestClock } from '../../test/test-clock.ts';
import { DatabaseHearing } from './database-hearing.ts';

let clock: TestClock;
let said: [string, number][];
let hearing: DatabaseHearing;
beforeEach(() => {
  clock = new TestClock(0);
  said = [];
  const say = (message: string, { seconds } = {} as { seconds?: unknown }): void =>
    void said.push([message, Number(seconds)]);
  hearing = new DatabaseHearing({ clock, logger: { info: say, warn: say } });
});

/** As the listener does, which tries once a second. */
async function silentFor(seconds: number): Promise<void> {
  for (let tries = 0; tries < seconds; tries += 1) {
    hearing.lost(new Error('refused'));
    await clock.pass(1000);
  }
}

it('a loss is told at once and then once a minute, and its end with how long it was', async () => {
  hearing.heard();
  await silentFor(150);
  hearing.heard();
  const silence = 'nothing is heard from the database for now';
  expect(said).toEqual([
    [silence, 0],
    [silence, 60],
    [silence, 120],
    ['the database is heard again', 150],
  ]);
});

it('each loss is told, however short the time since the last one', async () => {
  await silentFor(2);
  hearing.heard();
  await silentFor(2);
  expect(said.map(([message]) => message)).toEqual([
    'nothing is heard from the database for now',
    'the database is heard again',
    'nothing is heard from the database for now',
  ]);
});

it('a replica is ready through a short loss, not through a long one, and again once it hears', async () => {
  expect(hearing.check()).toBeUndefined();
  await silentFor(30);
  expect(hearing.check()).toBeUndefined();
  await silentFor(1);
  expect(hearing.check()).toBe('the database was last heard 31 s ago, more than 30 s; the log says why');
  hearing.heard();
  expect(hearing.check()).toBeUndefined();
});
