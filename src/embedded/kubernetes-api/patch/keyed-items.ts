/** The items of a list by their keys, of which each may be there more than once; each step costs the same in any list. */

export class KeyedItems<T> {
  /** Oldest first. */
  readonly #items = new Map<string, T[]>();

  constructor(items: readonly T[], keyOf: (item: T) => string) {
    for (const item of items) this.#append(keyOf(item), item);
  }

  first(key: string): T | undefined {
    return this.#items.get(key)?.[0];
  }

  all(key: string): readonly T[] {
    return this.#items.get(key) ?? [];
  }

  /** In place of the first, or as a new one. */
  put(key: string, item: T): void {
    const known = this.#items.get(key);
    if (known === undefined) this.#append(key, item);
    else known[0] = item;
  }

  /** Only the first. */
  remove(key: string): void {
    const known = this.#items.get(key);
    known?.shift();
    if (known?.length === 0) this.#items.delete(key);
  }

  #append(key: string, item: T): void {
    const known = this.#items.get(key) ?? [];
    known.push(item);
    this.#items.set(key, known);
  }
}
