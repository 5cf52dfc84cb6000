/** Exponential backoff per key: each attempt that is not followed by `forget` doubles the wait, up to a limit. */
import { backoffMs, type Backoff } from '../../../platform/backoff.ts';

/** Entries older than this are evicted. Longer than any wait, so that `roundRobin` keeps its order for many keys. */
const rememberMs = 21_600_000;

export class KeyedBackoff {
  readonly #backoff: Backoff;
  readonly #asked = new Map<string, { readonly at: number; readonly times: number }>();

  constructor(everyMs: number, maxMs: number = everyMs) {
    this.#backoff = { firstMs: everyMs, maxMs };
  }

  isDue(id: string, at: number): boolean {
    const last = this.#asked.get(id);
    return last === undefined || at - last.at >= backoffMs(this.#backoff, last.times);
  }

  /** Sorts keys never tried first, then by the oldest attempt; otherwise keeps the order. */
  roundRobin<T>(things: readonly T[], idOf: (thing: T) => string): readonly T[] {
    const askedAt = (thing: T): number => this.#asked.get(idOf(thing))?.at ?? 0;
    return things.toSorted((a, b) => askedAt(a) - askedAt(b));
  }

  note(id: string, at: number): void {
    const last = this.#asked.get(id);
    const times = (last?.times ?? 0) + 1;
    // Re-insert to keep the map in order of attempts, so that the eviction loop meets the oldest entries first.
    this.#asked.delete(id);
    this.#asked.set(id, { at, times });
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
