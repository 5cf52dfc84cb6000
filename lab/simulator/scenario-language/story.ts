/** A story as data: its initial state, its steps and expectations by time, and the facts that must never occur. */

/** A line of the script that is not empty. */
export interface Line {
  readonly number: number;
  readonly text: string;
}

export interface Story {
  readonly title: string;
  /** The lines before the first time. */
  readonly setting: readonly Line[];
  /** Facts that may not occur at any time. */
  readonly nevers: readonly Line[];
  readonly blocks: readonly Block[];
}

/** Steps and expectations in sequence, at a time or at the first occurrence of a fact. */
export interface Block {
  readonly when: { readonly atMs: number } | { readonly fact: string };
  readonly lines: readonly Line[];
}

/** Names the line of the mistake. */
export class StoryError extends Error {
  constructor({ number, text }: Line, why: string) {
    super(`line ${number}, "${text}": ${why}`);
  }
}
