/** No guard can be taken out of the product without a story that fails for it. */
import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { guards } from './guards.ts';
import { occurrences, takeOut, wrongWith } from './take-out.ts';

const scenarios = join(import.meta.dirname, '..', '..', 'scenarios');

describe('the table of guards', () => {
  it.each(guards)('has the text of "$id" once in its file', ({ places }) => {
    expect(places.map((place) => [place.file, occurrences(place)])).toEqual(
      places.map(({ file }) => [file, 1]),
    );
  });

  it('names each guard once', () => {
    expect(new Set(guards.map(({ id }) => id)).size).toBe(guards.length);
  });

  it('has a guard for each story', () => {
    const stories = readdirSync(scenarios).filter((file) => file.endsWith('.txt'));
    expect([...new Set(guards.map(({ story }) => `${story}.txt`))].toSorted()).toEqual(stories.toSorted());
  });
});

describe('without it, the story fails for the reason given', () => {
  const cache = mkdtempSync(join(tmpdir(), 'muster-guards-'));
  afterAll(() => rmSync(cache, { recursive: true, force: true }));

  it.each(guards)('$id: $story', async (guard) => {
    const violation = await takeOut(guard, cache);
    expect(wrongWith(guard, violation)).toBeUndefined();
  });
});
