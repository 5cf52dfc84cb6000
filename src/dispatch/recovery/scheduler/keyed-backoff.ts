/** Exponential backoff per key: each attempt that is not followed by `forget` doubles the wait, up to a limit. */

/** Entries older than this are evicted. Longer than any wait, so that `roundRobin` keeps its order for many keys. */
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

  /** Sorts keys never tried first, then by the oldest attempt; otherwise keeps the order. */
  roundRobin<T>(things: readonly T[], idOf: (thing: T) => string): readonly T[] {
    const askedAt = (thing: T): number => this.#asked.get(idOf(thing))?.at ?? 0;
    return things.toSorted((a, b) => askedAt(a) - askedAt(b));
  }

  note(id: string, at: number): void {
    const last = this.#asked.get(id);
    const waitMs = last === undefined ? this.#everyMs : Math.min(2 * last.waitMs, this.#mostMs);
    // Re-insert to keep the map in order of attempts, so that the eviction loop meets the oldest entries first.
    this.#asked.delete(id);
    this.#asked.set(id, { at, waitMs });
    for (const [old, { at: askedAt }] of this.#asked) {
      if (at - askedAt < rememberMs) break;
      this.#asked.delete(old);
    }
  }

  /** Resets the key after a success. */
  forget(id: string): void {
    this.#asked.delete(id);
  }
}
