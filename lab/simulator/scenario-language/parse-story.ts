/**
 * Reads a story:
 *
 *     # The title, and then the reason for the story.
 *     host mini-1
 *     machine mac-a
 *     never wipes mini-2
 *
 *     at 10m
 *       delete machine mac-a
 *     when host mini-1 is ordered: pool, by machine
 *       crash the leader for 1m
 *     at 1h
 *       expect host mini-1 is Pooled
 *
 * The story ends with its last time. The folders `hosts/` and `runners/` define the lines: `config.ts`, `steps.ts` and
 * `expectations.ts`.
 */
import { durationMs } from '../faults/script.ts';
import { StoryError, type Block, type Line, type Story } from './story.ts';

export function parseStory(text: string): Story {
  const rows = text.split('\n').map((row, index) => ({ number: index + 1, row: row.trimEnd() }));
  const title = rows[0]?.row.replace(/^#\s*/, '') ?? '';
  const setting: Line[] = [];
  const nevers: Line[] = [];
  const blocks: { when: Block['when']; lines: Line[] }[] = [];
  for (const { number, row } of rows) {
    const isIndented = /^\s/.test(row);
    const line = { number, text: row.replace(/(^|\s)#.*$/, '').trim() };
    if (line.text === '') continue;
    const when = isIndented ? undefined : whenOf(line);
    const never = /^never (.+)$/.exec(line.text)?.[1];
    if (when !== undefined) blocks.push({ when, lines: [] });
    else if (isIndented) lastOf(blocks, line).lines.push(line);
    else if (never !== undefined) nevers.push({ number, text: never });
    else setting.push(settingLine(line, blocks.length));
  }
  return { title, setting, nevers, blocks };
}

function whenOf(line: Line): Block['when'] | undefined {
  const [, time] = /^at (\S+)$/.exec(line.text) ?? [];
  if (time !== undefined) return { atMs: timeIn(line, time) };
  const [, fact] = /^when (.+)$/.exec(line.text) ?? [];
  return fact === undefined ? undefined : { fact };
}

function timeIn(line: Line, time: string): number {
  try {
    return durationMs(time);
  } catch (error) {
    throw new StoryError(line, error instanceof Error ? error.message : String(error));
  }
}

function lastOf<T>(blocks: readonly T[], line: Line): T {
  const last = blocks.at(-1);
  if (last === undefined)
    throw new StoryError(line, 'an indented line belongs below "at TIME" or "when FACT"');
  return last;
}

function settingLine(line: Line, blocks: number): Line {
  if (blocks > 0) throw new StoryError(line, 'settings come before the first "at TIME"; indent the steps');
  return line;
}

/** Returns the last time in the story. */
export function endOf({ blocks }: Story): number {
  return Math.max(0, ...blocks.map(({ when }) => ('atMs' in when ? when.atMs : 0)));
}
