/** What has to be undone if the next step fails, newest first. One that cannot be undone does not keep the others. */
export class Undo {
  readonly #say: (happened: string, about: object) => void;
  readonly #steps: { readonly what: string; readonly undo: () => Promise<unknown> }[] = [];

  constructor(say: (happened: string, about: object) => void) {
    this.#say = say;
  }

  /** Before the step itself: it may have happened although it failed. */
  add(what: string, undo: () => Promise<unknown>): void {
    this.#steps.push({ what, undo });
  }

  /** Undoes everything, and hands back what to answer. */
  async all<T>(answer: T): Promise<T> {
    for (const { what, undo } of this.#steps.toReversed())
      try {
        await undo();
      } catch (error) {
        // The recovery finds it: a stamp without a claim, or a claim that nobody promotes.
        this.#say(`${what} could not be undone`, { error });
      }
    return answer;
  }
}
