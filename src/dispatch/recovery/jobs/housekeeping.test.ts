import { expect, it } from 'vitest';
import type { Bygone } from '../../store/recovery-port.ts';
import { Housekeeping } from './housekeeping.ts';

const day = 86_400_000;
const at = 1000 * day;

/** What the store was asked to forget, by a turn after so many answers that there is more. */
async function askedOf(more: number): Promise<readonly Bygone[]> {
  const asked: Bygone[] = [];
  const prune = async (bygone: Bygone) => (asked.push(bygone) > more ? 'all' : 'more');
  await new Housekeeping({ store: { prune } }).run({ at, goodAt: undefined });
  return asked;
}

it('notes are kept for thirty days, and jobs for ninety', async () => {
  expect(await askedOf(0)).toEqual([{ notesBefore: at - 30 * day, jobsBefore: at - 90 * day }]);
});

it('where there is more, it goes on until there is no more', async () => {
  expect(await askedOf(3)).toHaveLength(4);
});

it('where there is very much, the next turn goes on', async () => {
  expect(await askedOf(Infinity)).toHaveLength(20);
});
