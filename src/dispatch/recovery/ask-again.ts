/**
 * When something was last asked about, so that one that needs no repair, or that nobody answers for, is not asked about at
 * every turn: each time that it is asked in vain the wait is twice as long, up to a limit.
 */
export class AskAgain {
  readonly #everyMs: number;
  readonly #mostMs: number;
  readonly #asked = new Map<string, { readonly at: number; readonly waitMs: number }>();

  constructor(everyMs: number, mostMs: number = everyMs) {
    this.#everyMs = everyMs;
    this.#mostMs = mostMs;
  }

  /** Undefined where it was not asked about, or so long ago that this is forgotten. */
  askedAt(id: string): number | undefined {
    return this.#asked.get(id)?.at;
  }

  isDue(id: string, at: number): boolean {
    const last = this.#asked.get(id);
    return last === undefined || at - last.at >= last.waitMs;
  }

  note(id: string, at: number): void {
    const last = this.#asked.get(id);
    const waitMs = last === undefined ? this.#everyMs : Math.min(2 * last.waitMs, this.#mostMs);
    // In the order in which they were asked, so that the oldest are found first.
    this.#asked.delete(id);
    this.#asked.set(id, { at, waitMs });
    for (const [old, { at: askedAt }] of this.#asked) {
      if (at - askedAt < 2 * this.#mostMs) break;
      this.#asked.delete(old);
    }
  }

  /** What went well is asked about as one that never was. */
  forget(id: string): void {
    this.#asked.delete(id);
  }
}
