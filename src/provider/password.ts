/** A text that must not be seen by accident: printing it in any way shows a placeholder, and only `reveal` gives it out. */
import { inspect } from 'node:util';

const placeholder = '[redacted]';

export class Password {
  readonly #text: string;

  constructor(text: string) {
    this.#text = text;
  }

  reveal(): string {
    return this.#text;
  }

  toString(): string {
    return placeholder;
  }

  toJSON(): string {
    return placeholder;
  }

  [inspect.custom](): string {
    return placeholder;
  }
}
