/**
 * When something was last asked about, so that one that needs no repair, or that nobody answers for, is not asked about at
 * every turn: each time that it is asked in vain the wait is twice as long, up to a limit.
 */
import { backoffMs, type Backoff } from '../../../platform/backoff.ts';

/** Longer than any wait, so that whoever was asked about longest ago is known also where there are many. */
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

  /** Those that were never asked about, and then those that were longest ago; otherwise as they stand. */
  roundRobin<T>(things: readonly T[], idOf: (thing: T) => string): readonly T[] {
    const askedAt = (thing: T): number => this.#asked.get(idOf(thing))?.at ?? 0;
    return things.toSorted((a, b) => askedAt(a) - askedAt(b));
  }

  note(id: string, at: number): void {
    const last = this.#asked.get(id);
    const times = (last?.times ?? 0) + 1;
    // In the order in which they were asked, so that the oldest are found first.
    this.#asked.delete(id);
    this.#asked.set(id, { at, times });
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
