/** Each story in `scenarios` meets its expectations; a dozen stories also have a golden transcript. */
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { drain } from '../../harness/drain.ts';
import { hostsRunner } from './hosts/runner.ts';
import { parseStory } from './parse-story.ts';
import { runnersRunner } from './runners/runner.ts';
import { executeStory, type StoryResult } from './run-story.ts';

const folder = join(import.meta.dirname, '..', '..', '..', 'scenarios');
const names = readdirSync(folder)
  .filter((file) => file.endsWith('.txt'))
  .map((file) => file.replace('.txt', ''));

describe('a story', () => {
  it.each(names)('%s meets every expectation, and matches its golden transcript', async (name) => {
    const story = parseStory(readFileSync(join(folder, `${name}.txt`), 'utf8'));
    const { lines, violation } = await executeStory(story, { drain });
    expect(violation).toBeUndefined();
    const golden = join(folder, 'golden', `${name}.txt`);
    if (!existsSync(golden)) return;
    await expect(`${[story.title, '', ...lines].join('\n')}\n`).toMatchFileSnapshot(golden);
  });

  it('each golden transcript has its script', () => {
    const transcripts = readdirSync(join(folder, 'golden')).map((file) => file.replace('.txt', ''));
    expect(transcripts.filter((name) => !names.includes(name))).toEqual([]);
    expect(transcripts).toHaveLength(12);
  });
});

describe('the page of the stories', () => {
  const page = readFileSync(join(folder, 'README.md'), 'utf8');
  const [, aboutMacs = '', aboutRunners = ''] = page.split('\n### ');
  const parts = [
    { runner: hostsRunner, blocks: blocksIn(aboutMacs) },
    { runner: runnersRunner, blocks: blocksIn(aboutRunners) },
  ] as const;

  it('has settings, acts and expectations of each runner', () => {
    expect(parts.map(({ blocks }) => blocks.length)).toEqual([5, 5]);
  });

  describe.each(parts)('in its part', ({ runner, blocks: [settings = [], ...others] }) => {
    it.each(settings)('the setting "$text" is understood', (line) => {
      expect(runner.settingOf([line]).seed).toBeGreaterThan(0);
    });

    it.each(others.flat())('"$text" is understood', (line) => {
      expect(runner.expectationIn(line) ?? runner.actIn(line)).toBeDefined();
    });
  });
});

function blocksIn(part: string): readonly (readonly { readonly number: number; readonly text: string }[])[] {
  return [...part.matchAll(/```text\n(.*?)```/gs)].map(([, text = '']) =>
    text
      .trimEnd()
      .split('\n')
      .map((line, number) => ({ number, text: line })),
  );
}

function report(...rows: readonly string[]): Promise<StoryResult> {
  return executeStory(parseStory(['# A story', ...rows].join('\n')), { drain });
}

describe('a script', () => {
  it('gives the same transcript twice', async () => {
    const rows = ['host mini-1', 'machine mac-a', 'at 5m', '  crash the leader for 1m', 'at 10m'];
    expect(await report(...rows)).toEqual(await report(...rows));
  });

  it('with a failed expectation ends with what is there instead', async () => {
    const { violation } = await report(
      'host mini-1',
      'at 5m',
      '  expect host mini-1 is Owned',
      '  remove mini-1',
    );
    expect(violation).toMatchObject({
      id: 'expect',
      message: 'line 4, "expect host mini-1 is Owned": it is Pooled, Pooled',
    });
  });

  it('forbids facts by their whole words', async () => {
    const rows = ['host mini-1', 'machine mac-a', 'at 5m'];
    expect((await report('never renames mini-1 to mac', ...rows)).violation).toBeUndefined();
    expect((await report('never renames mini-1 to mac-a', ...rows)).violation?.id).toBe('never');
  });

  it('runs a `when` step once, before any process sees the change', async () => {
    const { lines } = await report(
      'host mini-1',
      'machine mac-a',
      'when host mini-1 is claimed by mac-a',
      '  crash the leader',
      'at 3m',
    );
    const reported = lines.map((line) => line.slice(12).trim());
    expect(reported.filter((line) => line.endsWith('crashes'))).toHaveLength(1);
    expect(reported.at(reported.findIndex((line) => line.includes('is claimed by mac-a')) + 1)).toContain(
      'crash the leader',
    );
  });

  it.for([
    [['walk the dog'], 'line 2, "walk the dog": unknown setting'],
    [['runners', 'walk the dog'], 'line 3, "walk the dog": unknown setting'],
    [['runners', 'at 5m', '  remove mini-1'], 'line 4, "remove mini-1": unknown step'],
    [['host mini-1: of glass'], 'line 2, "host mini-1: of glass": unknown trait "of glass"'],
    [['  remove mini-1'], 'line 2, "remove mini-1": an indented line belongs below "at TIME" or "when FACT"'],
    [['at noon'], 'line 2, "at noon": noon is no time'],
    [['at 5m', 'host mini-1'], 'line 3, "host mini-1": settings come before'],
    [['at 5m', '  sing'], 'line 3, "sing": unknown step'],
    [['at 5m', '  expect rain'], 'line 3, "expect rain": unknown expectation'],
  ] as const)('rejects %j and names the line', async ([rows, why]) => {
    await expect(async () => report(...rows)).rejects.toThrow(why);
  });

  it('that acts on an unknown host fails the run', async () => {
    await expect(report('at 1m', '  rename mini-9 to x')).rejects.toThrow('line 3, "rename mini-9 to x"');
  });
});
