/** Who rests, for how long, and what ends it. */
import { describe, expect, it } from 'vitest';
import { TestClock } from '../../../test/test-clock.ts';
import { SickList } from './sick-list.ts';

const second = 1000;

it('a job that loses runner after runner rests longer each time, although each was registered', async () => {
  const clock = new TestClock(0);
  const sick = new SickList(clock);
  const rests: number[] = [];
  for (let time = 0; time < 8; time += 1) {
    sick.lost('1');
    const from = clock.now();
    while (sick.now().jobs.has('1')) await clock.pass(second);
    rests.push((clock.now() - from) / second);
    sick.cured({ jobs: '1', repositories: 'octo-org/app', accounts: '7' });
  }
  expect(rests).toEqual([5, 10, 20, 40, 80, 160, 300, 300]);
});

it('a job that lost no runner for ten minutes begins anew', async () => {
  const clock = new TestClock(0);
  const sick = new SickList(clock);
  for (let time = 0; time < 8; time += 1) sick.lost('1');
  await clock.pass(601 * second);
  expect(sick.now().jobs.has('1')).toBe(false);
  sick.lost('1');
  await clock.pass(5 * second);
  expect(sick.now().jobs.has('1')).toBe(false);
});

describe('what failed', () => {
  const ids = { jobs: '1', repositories: 'octo-org/app', accounts: '7' } as const;
  const kinds = ['jobs', 'repositories', 'accounts'] as const;
  const restOf = async (sick: SickList, clock: TestClock, kind: (typeof kinds)[number]): Promise<number> => {
    const from = clock.now();
    while (sick.now()[kind].has(ids[kind])) await clock.pass(second);
    return (clock.now() - from) / second;
  };

  it.for(kinds)('of %s rests longer each time, and as at first once it has worked', async (kind) => {
    const clock = new TestClock(0);
    const sick = new SickList(clock);
    const rests: number[] = [];
    for (const hasWorked of [false, false, true]) {
      if (hasWorked) sick.cured(ids);
      sick.add(kind, ids[kind]);
      rests.push(await restOf(sick, clock, kind));
    }
    expect(rests).toEqual([5, 10, 5]);
  });
});

it('an account is passed over until the latest moment that was named', async () => {
  const clock = new TestClock(0);
  const sick = new SickList(clock);
  sick.passOver('7', 3 * second);
  sick.passOver('7', second);
  await clock.pass(2 * second);
  expect(sick.now().accounts.has('7')).toBe(true);
  await clock.pass(second);
  expect(sick.now().accounts.has('7')).toBe(false);
});
