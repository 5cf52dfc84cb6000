/** The grammar of stories, as tables: a pattern, and what to do with the matched words. */
import { StoryError, type Line } from './story.ts';

export type Words = readonly string[];
export type Phrase<Subject, Meaning = void> = readonly [RegExp, (subject: Subject, words: Words) => Meaning];

/** Returns undefined when no pattern matches. */
export function meaningOf<Subject, Meaning>(
  phrases: readonly Phrase<Subject, Meaning>[],
  text: string,
): ((subject: Subject) => Meaning) | undefined {
  const found = phrases.find(([pattern]) => pattern.test(text));
  if (found === undefined) return undefined;
  const [pattern, mean] = found;
  const words = pattern.exec(text)?.slice(1) ?? [];
  return (subject) => mean(subject, words);
}

/** Returns undefined when no act matches the line. */
export function actAmong<Scene>(
  acts: readonly Phrase<Scene>[],
  line: Line,
): ((context: Scene) => void) | undefined {
  const act = meaningOf(acts, line.text);
  return act && ((context) => blaming(line, () => act(context)));
}

/** Returns undefined when the line is no expectation. */
export function expectationAmong<Scene>(
  expectations: readonly Phrase<Scene, string | undefined>[],
  line: Line,
): ((context: Scene) => string | undefined) | undefined {
  const [, text] = /^expect (.+)$/.exec(line.text) ?? [];
  if (text === undefined) return undefined;
  const found = meaningOf(expectations, text);
  if (found === undefined) throw new StoryError(line, 'unknown expectation');
  return found;
}

/** Applies the setting lines at the start of a story. */
export function takeSettings<Setting>(
  phrases: readonly Phrase<Setting>[],
  setting: Setting,
  lines: readonly Line[],
): Setting {
  for (const line of lines) {
    const take = meaningOf(phrases, line.text);
    if (take === undefined) throw new StoryError(line, 'unknown setting');
    blaming(line, () => take(setting));
  }
  return setting;
}

/** The result of an expectation: undefined, or what differs. */
export function different(is: string, wanted: string | undefined): string | undefined {
  return is === wanted ? undefined : `it is ${is}`;
}

function blaming(line: Line, act: () => void): void {
  try {
    act();
  } catch (error) {
    throw new StoryError(line, error instanceof Error ? error.message : String(error));
  }
}
