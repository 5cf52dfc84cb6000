/**
 * Those who ask the same of the database in one moment are asked for in one question. Who comes while little is under way is
 * asked for at once and alone; who comes meanwhile waits for a moment, and goes with the others. Company is only ever a help:
 * where it fails, or does not come soon, everybody goes alone. Nobody is given the answer to a question that began before they
 * came.
 */
import type { Clock } from '../../../platform/clock.ts';

export interface TogetherOptions<Item, Answer> {
  readonly alone: (item: Item) => Promise<Answer>;
  /** What each is answered, in their order; undefined for who must go alone. All of that happens, or nothing does. */
  readonly together: (items: readonly Item[]) => Promise<readonly (Answer | undefined)[]>;
  readonly clock: Clock;
}

/** Questions under way before anybody waits. Two: the second serves while the first waits for somebody. */
const atOnceMax = 2;
/** In one question, which is still over in milliseconds. */
const itemsMax = 64;
/** Several questions long. Who has waited for this stands behind something that hangs. */
const waitMs = 200;
const waitingMax = 1000;

interface Asker<Item, Answer> {
  readonly item: Item;
  readonly resolve: (answer: Answer) => void;
  readonly reject: (error: unknown) => void;
  readonly stopTimer: () => void;
}

export class Batcher<Item, Answer> {
  readonly #options: TogetherOptions<Item, Answer>;
  /** Longest first. */
  readonly #waiting = new Set<Asker<Item, Answer>>();
  #underWay = 0;

  constructor(options: TogetherOptions<Item, Answer>) {
    this.#options = options;
  }

  async ask(item: Item): Promise<Answer> {
    const { alone, clock } = this.#options;
    if (this.#underWay < atOnceMax) return this.#counted(async () => alone(item));
    if (this.#waiting.size >= waitingMax) return alone(item);
    return new Promise((resolve, reject) => {
      const stopTimer = clock.after(waitMs, () => {
        this.#waiting.delete(asker);
        void this.#alone(asker);
      });
      const asker = { item, resolve, reject, stopTimer };
      this.#waiting.add(asker);
    });
  }

  async #counted<T>(work: () => Promise<T>): Promise<T> {
    this.#underWay += 1;
    try {
      return await work();
    } finally {
      this.#underWay -= 1;
      this.#next();
    }
  }

  #next(): void {
    const group = [...this.#waiting].slice(0, itemsMax);
    if (group.length === 0) return;
    for (const asker of group) {
      asker.stopTimer();
      this.#waiting.delete(asker);
    }
    void this.#counted(async () => this.#askFor(group));
  }

  async #askFor(group: readonly Asker<Item, Answer>[]): Promise<void> {
    const [first] = group;
    if (group.length === 1 && first !== undefined) return this.#alone(first);
    const answers = await this.#askTogether(group.map(({ item }) => item));
    for (const [index, asker] of group.entries()) {
      const answer = answers[index];
      // Nobody waits for them: whoever goes alone may be held up.
      if (answer === undefined) void this.#alone(asker);
      else asker.resolve(answer);
    }
  }

  /** None where it failed. Nothing was done then, or nobody knows; whoever goes alone hears for itself what is wrong. */
  async #askTogether(items: readonly Item[]): Promise<readonly (Answer | undefined)[]> {
    try {
      return await this.#options.together(items);
    } catch {
      return [];
    }
  }

  async #alone({ item, resolve, reject }: Asker<Item, Answer>): Promise<void> {
    try {
      resolve(await this.#options.alone(item));
    } catch (error) {
      reject(error);
    }
  }
}
