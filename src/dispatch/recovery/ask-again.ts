/** When something was last asked about, so that one that needs no repair is not asked about at every turn. */
export class AskAgain {
  readonly #everyMs: number;
  readonly #asked = new Map<string, number>();

  constructor(everyMs: number) {
    this.#everyMs = everyMs;
  }

  isDue(id: string, at: number): boolean {
    return at - (this.#asked.get(id) ?? -Infinity) >= this.#everyMs;
  }

  note(id: string, at: number): void {
    // In the order in which they were asked, so that the oldest are found first.
    this.#asked.delete(id);
    this.#asked.set(id, at);
    for (const [old, askedAt] of this.#asked) {
      if (at - askedAt < this.#everyMs) break;
      this.#asked.delete(old);
    }
  }
}
