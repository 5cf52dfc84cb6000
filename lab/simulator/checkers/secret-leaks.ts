/**
 * Planted secrets. A planted secret must not appear in the trace, in a log line, or in an object that is not a Secret.
 */
import type { Random } from '../../../src/platform/random.ts';

export class Canaries {
  readonly #random: Random;
  readonly #leaked: (message: string) => void;
  readonly #secrets = new Map<string, string>();

  constructor(random: Random, leaked: (message: string) => void) {
    this.#random = random;
    this.#leaked = leaked;
  }

  /** Returns a secret of this name, to be used like a real one. */
  plant(name: string): string {
    const digits = Array.from({ length: 24 }, () => Math.floor(this.#random.next() * 36).toString(36));
    const secret = `canary-${digits.join('')}`;
    this.#secrets.set(name, secret);
    return secret;
  }

  /** Builds the text only when a secret was planted. */
  look(sink: string, text: () => string): void {
    if (this.#secrets.size === 0) return;
    const shown = text();
    for (const [name, secret] of this.#secrets)
      if (shown.includes(secret)) this.#leaked(`the secret ${name} can be read in ${sink}`);
  }
}
