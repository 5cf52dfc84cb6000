/** The objects of an informer, by key and by index. */
import { keyOf, type KubeObject } from '../client/kube-object.ts';

/** Maps an object to the values under which an index finds it. */
export type Indexes<T> = Readonly<Record<string, (object: T) => readonly string[]>>;

export class Cache<T extends KubeObject> {
  readonly #objects = new Map<string, T>();
  readonly #indexes: Indexes<T>;
  /** Keys by index name and value. */
  readonly #found = new Map<string, Map<string, Set<string>>>();

  constructor(indexes: Indexes<T>) {
    this.#indexes = indexes;
    for (const name of Object.keys(indexes)) this.#found.set(name, new Map());
  }

  get size(): number {
    return this.#objects.size;
  }

  get(key: string): T | undefined {
    return this.#objects.get(key);
  }

  all(): readonly T[] {
    return [...this.#objects.values()];
  }

  keys(): readonly string[] {
    return [...this.#objects.keys()];
  }

  find(index: string, value: string): readonly T[] {
    const keys = this.#found.get(index)?.get(value);
    return keys === undefined ? [] : [...keys].flatMap((key) => this.#objects.get(key) ?? []);
  }

  /** Returns the earlier object. */
  put(object: T): T | undefined {
    const key = keyOf(object);
    const before = this.remove(key);
    this.#objects.set(key, object);
    for (const [name, valuesOf] of Object.entries(this.#indexes)) {
      const values = this.#found.get(name);
      for (const value of valuesOf(object)) values?.set(value, (values.get(value) ?? new Set()).add(key));
    }
    return before;
  }

  remove(key: string): T | undefined {
    const before = this.#objects.get(key);
    if (before === undefined) return undefined;
    this.#objects.delete(key);
    for (const [name, valuesOf] of Object.entries(this.#indexes))
      for (const value of valuesOf(before)) this.#forget(name, value, key);
    return before;
  }

  #forget(name: string, value: string, key: string): void {
    const keys = this.#found.get(name)?.get(value);
    keys?.delete(key);
    if (keys?.size === 0) this.#found.get(name)?.delete(value);
  }
}
