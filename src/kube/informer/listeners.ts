/** Listeners of changes. An error of one listener affects neither the others nor the informer. */

/** `object` is undefined for a deletion, `before` for a creation. */
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

  /** Calls the listener for each present object first. The result removes the listener. */
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
