/**
 * Batches equal requests to the database. While little is under way, a request is sent at once on its own. Later
 * requests wait briefly and are sent together. If the batch fails or does not start in time, each request is sent on
 * its own. No request gets the answer of a batch that began before the request arrived.
 */
import type { Clock } from '../../../platform/clock.ts';

export interface BatcherOptions<Item, Answer> {
  readonly alone: (item: Item) => Promise<Answer>;
  /** Answers in order; undefined for a request that must be sent on its own. All or nothing happens. */
  readonly together: (items: readonly Item[]) => Promise<readonly (Answer | undefined)[]>;
  readonly clock: Clock;
}

/** Concurrent requests before others wait. Two, so that one continues while the other is blocked. */
const atOnceMax = 2;
/** Requests per batch; a batch of this size still takes milliseconds. */
const itemsMax = 64;
/** Several batches long. A request that has waited for this time is behind something that hangs. */
const waitMs = 200;
const waitingMax = 1000;

interface Asker<Item, Answer> {
  readonly item: Item;
  readonly resolve: (answer: Answer) => void;
  readonly reject: (error: unknown) => void;
  readonly stopTimer: () => void;
}

export class Batcher<Item, Answer> {
  readonly #options: BatcherOptions<Item, Answer>;
  /** Longest first. */
  readonly #waiting = new Set<Asker<Item, Answer>>();
  #underWay = 0;

  constructor(options: BatcherOptions<Item, Answer>) {
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
      // Not awaited: a request on its own may be blocked.
      if (answer === undefined) void this.#alone(asker);
      else asker.resolve(answer);
    }
  }

  /**
   * Returns no answers if the batch failed. Nothing was done then, or the outcome is unknown; each request on its own
   * gets its own error.
   */
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
