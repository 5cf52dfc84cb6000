/** Undo steps for a failed dispatch, newest first. A failed undo does not stop the others. */
export class Undo {
  readonly #say: (happened: string, about: object) => void;
  readonly #steps: { readonly what: string; readonly undo: () => Promise<unknown> }[] = [];

  constructor(say: (happened: string, about: object) => void) {
    this.#say = say;
  }

  /** Call before the step itself: a failed step may still have happened. */
  add(what: string, undo: () => Promise<unknown>): void {
    this.#steps.push({ what, undo });
  }

  /** Undoes everything and returns `answer`. */
  async all<T>(answer: T): Promise<T> {
    for (const { what, undo } of this.#steps.toReversed())
      try {
        await undo();
      } catch (error) {
        // The recovery repairs the rest: a stamp without a claim, or a stale claim.
        this.#say(`failed to undo ${what}`, { error });
      }
    return answer;
  }
}
