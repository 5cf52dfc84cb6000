/**
 * Those who ask the same of the database in one moment are answered by one question. Who comes while little is under way is
 * asked for at once, so nobody waits for company; who comes meanwhile goes together with the others. An answer is never that
 * of a question which began before it was asked for.
 */
import { isFleetError } from '../../../errors/fleet-error.ts';

export interface TogetherOptions<Item, Answer> {
  /** One answer for each, in their order; all of it happens, or nothing does. */
  readonly ask: (items: readonly Item[]) => Promise<readonly Answer[]>;
  /** Questions under way at the same time. More than one: who waits for a lock must not hold up everybody. */
  readonly atOnceMax: number;
  readonly itemsMax: number;
}

interface Asker<Item, Answer> {
  readonly item: Item;
  readonly resolve: (answer: Answer) => void;
  readonly reject: (error: unknown) => void;
}

export class Together<Item, Answer> {
  readonly #options: TogetherOptions<Item, Answer>;
  readonly #waiting: Asker<Item, Answer>[] = [];
  #underWay = 0;

  constructor(options: TogetherOptions<Item, Answer>) {
    this.#options = options;
  }

  async ask(item: Item): Promise<Answer> {
    return new Promise((resolve, reject) => {
      this.#waiting.push({ item, resolve, reject });
      if (this.#underWay < this.#options.atOnceMax) void this.#work();
    });
  }

  /** Goes on for as long as anybody waits. */
  async #work(): Promise<void> {
    this.#underWay += 1;
    while (this.#waiting.length > 0) await this.#answer(this.#waiting.splice(0, this.#options.itemsMax));
    this.#underWay -= 1;
  }

  async #answer(askers: readonly Asker<Item, Answer>[]): Promise<void> {
    try {
      const answers = await this.#options.ask(askers.map(({ item }) => item));
      for (const [index, answer] of answers.entries()) askers[index]?.resolve(answer);
    } catch (error) {
      if (askers.length > 1 && isOfOne(error))
        await Promise.all(askers.map(async (asker) => this.#answer([asker])));
      else for (const { reject } of askers) reject(error);
    }
  }
}

/** Nothing was done for anybody, and it may be over one of them alone. A database that does not answer is so for all. */
function isOfOne(error: unknown): boolean {
  return !isFleetError(error, 'unavailable');
}
