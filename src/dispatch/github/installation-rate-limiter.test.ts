/** What replicas of dispatch register together, each with its share at full load. */
import { expect, it } from 'vitest';
import { TestClock } from '../../../lab/harness/test-clock.ts';
import { InstallationRateLimiter } from './installation-rate-limiter.ts';

const minute = 60_000;
const hour = 60 * minute;
const windowMs = 5 * minute;
/** The limit of GitHub per organisation. */
const allowed = 1500;
/** More callers than one replica with the whole share lets pass in five minutes. */
const crowd = 1600;

/** The maximum in any five minutes, including both ends. */
function busiest(moments: readonly number[]): number {
  let first = 0;
  let most = 0;
  for (const [last, at] of moments.entries()) {
    while (at - (moments[first] ?? at) > windowMs) first += 1;
    most = Math.max(most, last - first + 1);
  }
  return most;
}

/** The times at which callers pass, when a crowd arrives at each replica after an hour without load. */
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
  // Record callers that pass at once before time moves on.
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

it('two replicas that each use the whole share would register twice the limit', async () => {
  expect(busiest(await wentAt(2, 1))).toBe(2 * 1499);
});

it('without a number of replicas the share is the whole', async () => {
  const clock = new TestClock(0);
  const pace = new InstallationRateLimiter(clock);
  const asked = Array.from({ length: 26 }, () => pace.slot('octo-org', { until: 0 }, 'register a runner'));
  const ends = await Promise.allSettled(asked);
  expect(ends.filter(({ status }) => status === 'fulfilled')).toHaveLength(25);
});

it('the share is per organisation, and a caller that would come too late learns the time', async () => {
  const clock = new TestClock(0);
  const pace = new InstallationRateLimiter(clock, { replicas: 25 });
  const slot = (organisation: string): Promise<void> => pace.slot(organisation, { until: 0 }, 'register');
  await slot('octo-org');
  await slot('other-org');
  // The next slot is somewhat more than five seconds away, and GitHub may take another second to answer.
  await expect(slot('octo-org')).rejects.toMatchObject({ reason: 'Paced', retryAt: 6085 });
});
