/**
 * A text that must not leave the process by accident. Printed, put into a sentence, logged or turned into JSON it says
 * only that it is there; whoever needs the text asks for it by name, and such places can be searched for.
 */
import { inspect } from 'node:util';

/** What stands where a secret was. */
export const redacted = '[secret]';

export class Secret<T extends string = string> {
  readonly #text: T;

  constructor(text: T) {
    this.#text = text;
  }

  /** The text itself: for the header, the socket or the file that needs it, and nothing else. */
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
