/** Ids as GitHub gives them: each kind counts for itself, from where two neighbours are the same number to whoever reads carelessly. */
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
