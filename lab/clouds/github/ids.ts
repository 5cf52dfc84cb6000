/**
 * Ids like those of GitHub: each kind has its own counter, from 2^53, where two neighbors are the same number to a
 * careless reader.
 */
export const firstIdDefault = 2n ** 53n;

export class Ids {
  readonly #first: bigint;
  readonly #given = new Map<string, bigint>();

  constructor(first: bigint) {
    this.#first = first;
  }

  next(kind: string): string {
    const count = (this.#given.get(kind) ?? 0n) + 1n;
    this.#given.set(kind, count);
    return String(this.#first + count);
  }
}
