import { expect, it } from 'vitest';
import type { Bygone } from '../../store/recovery-port.ts';
import { Housekeeping } from './housekeeping.ts';

const day = 86_400_000;
const at = 1000 * day;

/** The prune requests of one run, when the store answers `more` this many times. */
async function askedOf(more: number): Promise<readonly Bygone[]> {
  const asked: Bygone[] = [];
  const prune = async (bygone: Bygone) => (asked.push(bygone) > more ? 'all' : 'more');
  await new Housekeeping({ store: { prune } }).run({ at, goodAt: undefined });
  return asked;
}

it('audit records are kept for thirty days, and jobs for ninety', async () => {
  expect(await askedOf(0)).toEqual([{ notesBefore: at - 30 * day, jobsBefore: at - 90 * day }]);
});

it('a run prunes until nothing is left', async () => {
  expect(await askedOf(3)).toHaveLength(4);
});

it('a run stops after twenty batches', async () => {
  expect(await askedOf(Infinity)).toHaveLength(20);
});
