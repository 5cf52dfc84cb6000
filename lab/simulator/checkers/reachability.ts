/**
 * Counts how often each thing happened that must happen at least once: every kind of fault, and every premise of a
 * scenario. A row of zero means that the runs never tested the thing.
 */
export class ReachabilityCounts {
  readonly #rows = new Map<string, number>();

  declare(...rows: readonly string[]): void {
    for (const row of rows) if (!this.#rows.has(row)) this.#rows.set(row, 0);
  }

  happened(row: string): void {
    this.#rows.set(row, (this.#rows.get(row) ?? 0) + 1);
  }

  add(other: ReachabilityCounts): void {
    for (const [row, count] of other.#rows) this.#rows.set(row, (this.#rows.get(row) ?? 0) + count);
  }

  get rows(): Readonly<Record<string, number>> {
    return Object.fromEntries([...this.#rows].toSorted(([a], [b]) => (a < b ? -1 : 1)));
  }

  get zeros(): readonly string[] {
    return Object.entries(this.rows).flatMap(([row, count]) => (count === 0 ? [row] : []));
  }
}
