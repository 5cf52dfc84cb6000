/** What replicas of dispatch register together, each with its share and all that it can be asked for. */
import { expect, it } from 'vitest';
import { TestClock } from '../../../lab/harness/test-clock.ts';
import { InstallationRateLimiter } from './installation-rate-limiter.ts';

const minute = 60_000;
const hour = 60 * minute;
const windowMs = 5 * minute;
/** By GitHub, of one organisation. */
const allowed = 1500;
/** More than one with the whole share lets go in five minutes. */
const crowd = 1600;

/** The most that went in any five minutes, the moments of both ends included. */
function busiest(moments: readonly number[]): number {
  let first = 0;
  let most = 0;
  for (const [last, at] of moments.entries()) {
    while (at - (moments[first] ?? at) > windowMs) first += 1;
    most = Math.max(most, last - first + 1);
  }
  return most;
}

/** When they let somebody go, from a crowd at each of them that comes after an hour in which they were hardly asked. */
async function wentAt(count: number, replicasReported: number): Promise<readonly number[]> {
  const clock = new TestClock(Date.UTC(2026, 0, 1));
  const paces = Array.from(
    { length: count },
    () => new InstallationRateLimiter(clock, { replicas: replicasReported }),
  );
  const went: number[] = [];
  const come = (pace: InstallationRateLimiter): void =>
    void pace.slot('octo-org', { until: Infinity }, 'register a runner').then(() => went.push(clock.now()));
  for (const pace of paces) come(pace);
  // Whoever goes at once is to be noted at that moment, before time moves on.
  await clock.settle();
  await clock.pass(hour);
  for (const pace of paces) for (let number = 0; number < crowd; number += 1) come(pace);
  await clock.settle();
  await clock.pass(2 * windowMs);
  return went;
}

it.for([
  [1, 1499],
  [2, 1498],
  [3, 1497],
  [10, 1490],
  [25, 1475],
  [50, 1500],
] as const)(
  '%i replicas with their shares register %i runners of an organisation in five minutes and no more',
  async ([replicas, most]) => {
    expect(most).toBeLessThanOrEqual(allowed);
    expect(busiest(await wentAt(replicas, replicas))).toBe(most);
  },
);

it('two that each take the whole would register twice what one may', async () => {
  expect(busiest(await wentAt(2, 1))).toBe(2 * 1499);
});

it('whoever says nothing of replicas is the only one', async () => {
  const clock = new TestClock(0);
  const pace = new InstallationRateLimiter(clock);
  const asked = Array.from({ length: 26 }, () => pace.slot('octo-org', { until: 0 }, 'register a runner'));
  const ends = await Promise.allSettled(asked);
  expect(ends.filter(({ status }) => status === 'fulfilled')).toHaveLength(25);
});

it('the share is of each organisation, and known to who would come too late', async () => {
  const clock = new TestClock(0);
  const pace = new InstallationRateLimiter(clock, { replicas: 25 });
  const slot = (organisation: string): Promise<void> => pace.slot(organisation, { until: 0 }, 'register');
  await slot('octo-org');
  await slot('other-org');
  // The next turn is somewhat more than five seconds off, and GitHub may take another to answer.
  await expect(slot('octo-org')).rejects.toMatchObject({ reason: 'Paced', retryAt: 6085 });
});
