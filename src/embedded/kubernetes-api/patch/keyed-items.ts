/** List items by key, with duplicates; every operation has constant cost. */

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

  /** Replaces the first item with this key, or adds the item. */
  put(key: string, item: T): void {
    const known = this.#items.get(key);
    if (known === undefined) this.#append(key, item);
    else known[0] = item;
  }

  /** Removes only the first item with this key. */
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
