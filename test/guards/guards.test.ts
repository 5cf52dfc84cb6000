/** No guard can be taken out of the product without a story that fails for it. */
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { changedFiles, commitId, gitIn } from '../../scripts/changed-files.ts';
import { draw } from '../../scripts/draw.ts';
import { bySize } from '../test-size.ts';
import type { Guard } from './guard.ts';
import { guards } from './guards.ts';
import { occurrences, takeOut, wrongWith } from './take-out.ts';

const scenarios = join(import.meta.dirname, '..', '..', 'scenarios');

const stories = readdirSync(scenarios)
  .filter((file) => file.endsWith('.txt'))
  .toSorted();

function isOfRunners(file: string): boolean {
  return readFileSync(join(scenarios, file), 'utf8').split('\n')[1] === 'runners';
}

function rowOf(file: string): string {
  const name = file.replace('.txt', '');
  const [title = ''] = readFileSync(join(scenarios, file), 'utf8').split('\n');
  const own = guards.filter(({ story }) => story === name).map(({ id }) => id);
  return `| [${name}](${file}) | ${title.replace('# ', '')} | ${own.join('; ')} |`;
}

/** Beside those that the branch touches, `npm test` takes out so many, which the commit draws; `full` takes out all. */
const drawnMax = 10;
const git = gitIn(import.meta.dirname);

/** A change of the lines that a guard stands in, or of the story that must notice, can change what is noticed. */
function touchedOrDrawn(all: readonly Guard[]): readonly Guard[] {
  const changed = new Set(changedFiles(git));
  const touches = ({ places, story }: Guard): boolean =>
    [...places.map(({ file }) => file), `scenarios/${story}.txt`].some((file) => changed.has(file));
  const drawn = new Set(draw(all, { count: drawnMax, by: commitId(git), idOf: ({ id }) => id }));
  return all.filter((guard) => touches(guard) || drawn.has(guard));
}

const chosen = bySize({ small: touchedOrDrawn, full: (all: readonly Guard[]) => all })(guards);

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
    expect([...new Set(guards.map(({ story }) => `${story}.txt`))].toSorted()).toEqual(stories);
  });

  it('is told on the page of the stories, with the title of each', () => {
    const page = readFileSync(join(scenarios, 'README.md'), 'utf8').split('\n');
    const rows = page.filter((line) => line.startsWith('| [')).map((line) => line.replaceAll(/\s+/g, ' '));
    const inOrder = stories.toSorted((a, b) => Number(isOfRunners(a)) - Number(isOfRunners(b)));
    expect(rows).toEqual(inOrder.map(rowOf));
  });
});

describe('without it, the story fails for the reason given', () => {
  const cache = mkdtempSync(join(tmpdir(), 'muster-guards-'));
  afterAll(() => rmSync(cache, { recursive: true, force: true }));

  it.each(chosen)('$id: $story', async (guard) => {
    const violation = await takeOut(guard, cache);
    expect(wrongWith(guard, violation)).toBeUndefined();
  });
});
