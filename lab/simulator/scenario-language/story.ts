/** A story as data: what there is at the beginning, what is done and expected at which time, and what must never be told. */

/** A line of the script that is not empty. */
export interface Line {
  readonly number: number;
  readonly text: string;
}

export interface Story {
  readonly title: string;
  /** Before anything happens. */
  readonly setting: readonly Line[];
  /** What may not happen at any time. */
  readonly nevers: readonly Line[];
  readonly blocks: readonly Block[];
}

/** What is done or expected, one after the other, at a time or when something happened for the first time. */
export interface Block {
  readonly when: { readonly atMs: number } | { readonly fact: string };
  readonly lines: readonly Line[];
}

/** Says which line it is about. */
export class StoryError extends Error {
  constructor({ number, text }: Line, why: string) {
    super(`line ${number}, "${text}": ${why}`);
  }
}
