/** What goes on cooldown, for how long, and what ends a cooldown. */
import { describe, expect, it } from 'vitest';
import { TestClock } from '../../../lab/harness/test-clock.ts';
import { Cooldowns } from './cooldowns.ts';

const second = 1000;

it('the cooldown of a job that loses runner after runner grows, although each was registered', async () => {
  const clock = new TestClock(0);
  const cooldowns = new Cooldowns(clock);
  const rests: number[] = [];
  for (let time = 0; time < 8; time += 1) {
    cooldowns.lost('1');
    const from = clock.now();
    while (cooldowns.now().jobs.has('1')) await clock.pass(second);
    rests.push((clock.now() - from) / second);
    cooldowns.clear({ jobs: '1', repositories: 'octo-org/app', accounts: '7' });
  }
  expect(rests).toEqual([5, 10, 20, 40, 80, 160, 300, 300]);
});

it('the cooldown of a job that lost no runner for ten minutes starts over', async () => {
  const clock = new TestClock(0);
  const cooldowns = new Cooldowns(clock);
  for (let time = 0; time < 8; time += 1) cooldowns.lost('1');
  await clock.pass(601 * second);
  expect(cooldowns.now().jobs.has('1')).toBe(false);
  cooldowns.lost('1');
  await clock.pass(5 * second);
  expect(cooldowns.now().jobs.has('1')).toBe(false);
});

describe('the cooldown after a failure', () => {
  const ids = { jobs: '1', repositories: 'octo-org/app', accounts: '7' } as const;
  const kinds = ['jobs', 'repositories', 'accounts'] as const;
  const restOf = async (
    cooldowns: Cooldowns,
    clock: TestClock,
    kind: (typeof kinds)[number],
  ): Promise<number> => {
    const from = clock.now();
    while (cooldowns.now()[kind].has(ids[kind])) await clock.pass(second);
    return (clock.now() - from) / second;
  };

  it.for(kinds)('of %s grows each time, and starts over after a success', async (kind) => {
    const clock = new TestClock(0);
    const cooldowns = new Cooldowns(clock);
    const rests: number[] = [];
    for (const hasWorked of [false, false, true]) {
      if (hasWorked) cooldowns.clear(ids);
      cooldowns.add(kind, ids[kind]);
      rests.push(await restOf(cooldowns, clock, kind));
    }
    expect(rests).toEqual([5, 10, 5]);
  });
});

it('an account is skipped until the latest time given', async () => {
  const clock = new TestClock(0);
  const cooldowns = new Cooldowns(clock);
  cooldowns.skipUntil('7', 3 * second);
  cooldowns.skipUntil('7', second);
  await clock.pass(2 * second);
  expect(cooldowns.now().accounts.has('7')).toBe(true);
  await clock.pass(second);
  expect(cooldowns.now().accounts.has('7')).toBe(false);
});
