/**
 * A text that must not leave the process by accident. In a message, a log or JSON it prints as `[secret]`. Code that
 * needs the text calls `reveal`, and such places can be searched for.
 */
import { inspect } from 'node:util';

/** Replaces a secret in output. */
export const redacted = '[secret]';

export class Secret<T extends string = string> {
  readonly #text: T;

  constructor(text: T) {
    this.#text = text;
  }

  /** The text itself: only for the header, the socket or the file that needs it. */
  reveal(): T {
    return this.#text;
  }

  toString(): string {
    return redacted;
  }

  toJSON(): string {
    return redacted;
  }

  [inspect.custom](): string {
    return redacted;
  }
}
