/**
 * When something was last asked about, so that one that needs no repair, or that nobody answers for, is not asked about at
 * every turn: each time that it is asked in vain the wait is twice as long, up to a limit.
 */

/** Longer than any wait, so that whoever was asked about longest ago is known also where there are many. */
const rememberMs = 21_600_000;

export class KeyedBackoff {
  readonly #everyMs: number;
  readonly #mostMs: number;
  readonly #asked = new Map<string, { readonly at: number; readonly waitMs: number }>();

  constructor(everyMs: number, mostMs: number = everyMs) {
    this.#everyMs = everyMs;
    this.#mostMs = mostMs;
  }

  isDue(id: string, at: number): boolean {
    const last = this.#asked.get(id);
    return last === undefined || at - last.at >= last.waitMs;
  }

  /** Those that were never asked about, and then those that were longest ago; otherwise as they stand. */
  roundRobin<T>(things: readonly T[], idOf: (thing: T) => string): readonly T[] {
    const askedAt = (thing: T): number => this.#asked.get(idOf(thing))?.at ?? 0;
    return things.toSorted((a, b) => askedAt(a) - askedAt(b));
  }

  note(id: string, at: number): void {
    const last = this.#asked.get(id);
    const waitMs = last === undefined ? this.#everyMs : Math.min(2 * last.waitMs, this.#mostMs);
    // In the order in which they were asked, so that the oldest are found first.
    this.#asked.delete(id);
    this.#asked.set(id, { at, waitMs });
    for (const [old, { at: askedAt }] of this.#asked) {
      if (at - askedAt < rememberMs) break;
      this.#asked.delete(old);
    }
  }

  /** What went well is asked about as one that never was. */
  forget(id: string): void {
    this.#asked.delete(id);
  }
}
