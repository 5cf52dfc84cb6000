/** A small part of `npm run hammer`, so that every run of the tests has workers killed in the middle of claims. */
import { expect, it } from 'vitest';
import { openFor } from './databases.ts';
import { hammer } from './hammer.ts';
import { verdictOn } from './result-table.ts';

const attempts = 5000;

it('no job or Pod is claimed twice, no budget exceeded and no job lost while workers are killed', async () => {
  const database = await openFor('npm', () => undefined);
  try {
    const result = await hammer({ url: database.url, attempts, seed: 20_261_115, progress: () => undefined });
    expect(verdictOn(result, attempts)).toBe('every rule held');
  } finally {
    await database.close('remove');
  }
});
