/** When a replica without an answer of its database becomes unready. */
import { afterEach, beforeEach, expect, it } from 'vitest';
import { TestClock } from '../../../lab/harness/test-clock.ts';
import { DatabaseHealthCheck } from './database-health-check.ts';

let clock: TestClock;
let ask: () => Promise<unknown>;
let healthCheck: DatabaseHealthCheck;
const says = async (): Promise<string> => 'yes';
const refuses = async (): Promise<never> => Promise.reject(new Error('refused'));

beforeEach(() => {
  clock = new TestClock(0);
  ask = says;
  const logger = { info: () => undefined, warn: () => undefined };
  healthCheck = new DatabaseHealthCheck({ clock, logger, ask: async () => ask() });
  healthCheck.start();
});
afterEach(() => healthCheck.stop());

it('a replica stays ready through a short outage, not through a long one, and is ready again after an answer', async () => {
  await clock.pass(10_000);
  ask = refuses;
  await clock.pass(32_000);
  expect(healthCheck.check()).toBeUndefined();
  await clock.pass(1000);
  expect(healthCheck.check()).toBe('the database has not answered for 31 s, more than 30 s; see the log');
  ask = says;
  await clock.pass(2000);
  expect(healthCheck.check()).toBeUndefined();
  ask = refuses;
  await clock.pass(10_000);
  expect(healthCheck.check()).toBeUndefined();
});

it('an outage counts from the start of the query, however long the query took to fail', async () => {
  ask = () => new Promise((_, reject) => clock.after(20_000, () => reject(new Error('hung'))));
  await clock.pass(32_000);
  expect(healthCheck.check()).toBeUndefined();
  await clock.pass(1000);
  expect(healthCheck.check()).toMatch(/^the database has not answered for 31 s/);
});

it('no query is sent after a stop', async () => {
  let asked = 0;
  ask = async () => void (asked += 1);
  await clock.pass(10_000);
  healthCheck.stop();
  await clock.pass(10_000);
  expect(asked).toBe(5);
});
