/** Each mutant makes its story fail, for the reason that its table names. */
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, relative } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { changedFiles, commitId, gitIn } from '../../scripts/changed-files.ts';
import { draw } from '../../scripts/draw.ts';
import { bySize } from '../../lab/harness/test-size.ts';
import { applyEdit } from './apply-edit.ts';
import { findAnchors } from './anchors.ts';
import type { Mutant } from './mutant.ts';
import { mutants } from './mutants.ts';
import { mismatch, runMutant } from './run-mutant.ts';

const root = join(import.meta.dirname, '..', '..');
const scenarios = join(root, 'scenarios');
const anchors = findAnchors();

const stories = readdirSync(scenarios)
  .filter((file) => file.endsWith('.txt'))
  .toSorted();

function isOfRunners(file: string): boolean {
  return readFileSync(join(scenarios, file), 'utf8').split('\n')[1] === 'runners';
}

function rowOf(file: string): string {
  const name = file.replace('.txt', '');
  const [title = ''] = readFileSync(join(scenarios, file), 'utf8').split('\n');
  const own = mutants.filter(({ story }) => story === name).map(({ id }) => id);
  return `| [${name}](${file}) | ${title.replace('# ', '')} | ${own.join('; ')} |`;
}

/** `npm test` runs the mutants of changed files and this many more, drawn by the commit; the full size runs all. */
const drawnMax = 10;
const git = gitIn(import.meta.dirname);

/** A change of the file that a mutant edits, or of its story, can change the violation. */
function changedOrDrawn(all: readonly Mutant[]): readonly Mutant[] {
  const changed = new Set(changedFiles(git));
  const filesOf = ({ edits, story }: Mutant): readonly string[] => [
    ...edits.flatMap(({ at }) => (anchors.get(at) ?? []).map((file) => relative(root, file))),
    `scenarios/${story}.txt`,
  ];
  const drawn = new Set(draw(all, { count: drawnMax, by: commitId(git), idOf: ({ id }) => id }));
  return all.filter((mutant) => filesOf(mutant).some((file) => changed.has(file)) || drawn.has(mutant));
}

const chosen = bySize({ small: changedOrDrawn, full: (all: readonly Mutant[]) => all })(mutants);

describe('the tables of mutants', () => {
  it('edit places whose anchor occurs once in the product', () => {
    const used = mutants.flatMap(({ edits }) => edits.map(({ at }) => at));
    expect(used.filter((id) => anchors.get(id)?.length !== 1)).toEqual([]);
  });

  it('use every anchor of the product', () => {
    const used = new Set(mutants.flatMap(({ edits }) => edits.map(({ at }) => at)));
    expect([...anchors.keys()].filter((id) => !used.has(id))).toEqual([]);
  });

  it.each(mutants)('change the text for "$id"', ({ edits }) => {
    const unchanged = edits.filter((edit) => {
      const text = readFileSync(anchors.get(edit.at)?.[0] ?? '', 'utf8');
      return applyEdit(text, edit) === text;
    });
    expect(unchanged).toEqual([]);
  });

  it('name each mutant once', () => {
    expect(new Set(mutants.map(({ id }) => id)).size).toBe(mutants.length);
  });

  it('have a mutant for each story', () => {
    expect([...new Set(mutants.map(({ story }) => `${story}.txt`))].toSorted()).toEqual(stories);
  });

  it('are listed on the page of the stories, with the title of each story', () => {
    const page = readFileSync(join(scenarios, 'README.md'), 'utf8').split('\n');
    const rows = page.filter((line) => line.startsWith('| [')).map((line) => line.replaceAll(/\s+/g, ' '));
    const inOrder = stories.toSorted((a, b) => Number(isOfRunners(a)) - Number(isOfRunners(b)));
    expect(rows).toEqual(inOrder.map(rowOf));
  });
});

describe('on the mutant, the story fails for the reason given', () => {
  const cache = mkdtempSync(join(tmpdir(), 'muster-mutants-'));
  afterAll(() => rmSync(cache, { recursive: true, force: true }));

  it.each(chosen)('$id: $story', async (mutant) => {
    const violation = await runMutant(mutant, cache);
    expect(mismatch(mutant, violation)).toBeUndefined();
  });
});
