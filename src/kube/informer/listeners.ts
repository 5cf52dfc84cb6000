/** Who is told of changes. What one of them throws harms neither the others nor whoever tells. */

/** `object` is undefined when it is gone; `before` when it is new. */
export interface Change<T> {
  readonly key: string;
  readonly object: T | undefined;
  readonly before: T | undefined;
}

export type Listener<T> = (change: Change<T>) => void;

export class Listeners<T> {
  readonly #all = new Set<Listener<T>>();
  readonly #onFault: (error: unknown) => void;

  constructor(onFault: (error: unknown) => void) {
    this.#onFault = onFault;
  }

  /** Told first of what is there; the result ends it. */
  add(listener: Listener<T>, present: readonly Change<T>[]): () => void {
    this.#all.add(listener);
    for (const change of present) this.#reportOne(listener, change);
    return () => void this.#all.delete(listener);
  }

  report(change: Change<T>): void {
    for (const listener of this.#all) this.#reportOne(listener, change);
  }

  #reportOne(listener: Listener<T>, change: Change<T>): void {
    try {
      listener(change);
    } catch (error) {
      this.#onFault(error);
    }
  }
}
