/**
 * Orders the reviews of tokens. A token that was valid before is reviewed at once;
 * unknown tokens wait in a queue and are refused when the queue is full. Only a
 * token that passes `mayWait` may wait, so that made-up tokens delay no valid token.
 */
import { FleetError } from '../../../platform/errors/fleet-error.ts';

export interface TokenReviewQueueOptions {
  /** Concurrent reviews of unknown tokens. */
  readonly atOnce: number;
  readonly waitingMax: number;
  /** How many valid tokens are remembered. */
  readonly knownMax: number;
}

export class TokenReviewQueue {
  readonly #options: TokenReviewQueueOptions;
  /** Keys of tokens that were valid; least recently reviewed first. */
  readonly #known = new Set<string>();
  readonly #waiting: (() => void)[] = [];
  #evaluated = 0;

  constructor(options: TokenReviewQueueOptions) {
    this.#options = options;
  }

  /** Undefined if the token is invalid, or would have to wait and may not. */
  async reviewToken<T>(
    key: string,
    review: () => Promise<T | undefined>,
    mayWait: () => Promise<boolean> = async () => true,
  ): Promise<T | undefined> {
    const answer = this.#known.has(key) ? await review() : await this.#inLine(review, mayWait);
    this.#known.delete(key);
    if (answer !== undefined) this.#know(key);
    return answer;
  }

  async #inLine<T>(
    review: () => Promise<T | undefined>,
    mayWait: () => Promise<boolean>,
  ): Promise<T | undefined> {
    if (this.#evaluated >= this.#options.atOnce && !(await mayWait())) return undefined;
    if (this.#evaluated < this.#options.atOnce) this.#evaluated += 1;
    else await this.#place();
    try {
      return await review();
    } finally {
      const next = this.#waiting.shift();
      if (next === undefined) this.#evaluated -= 1;
      else next();
    }
  }

  /** Waits for the slot of a finished review. */
  async #place(): Promise<void> {
    if (this.#waiting.length >= this.#options.waitingMax)
      throw new FleetError('unavailable', {
        reason: 'TooManyTokenReviews',
        message: 'too many unknown tokens are waiting for a review',
      });
    await new Promise<void>((resolve) => void this.#waiting.push(resolve));
  }

  #know(key: string): void {
    const [oldest] = this.#known;
    if (this.#known.size >= this.#options.knownMax && oldest !== undefined) this.#known.delete(oldest);
    this.#known.add(key);
  }
}
