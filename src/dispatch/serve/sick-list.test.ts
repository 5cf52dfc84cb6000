import { expect, it } from 'vitest';
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
