/**
 * The order in which tokens are judged. One that was good before is judged at once; strangers wait in a line, and are sent
 * away when it is long. Only who passes a check of its own may wait, so that tokens that are made up wait before nobody.
 */
import { FleetError } from '../../../platform/errors/fleet-error.ts';

export interface LineOptions {
  /** Of strangers, how many are judged at once. */
  readonly atOnce: number;
  readonly waitingMax: number;
  /** How many tokens are known at the most. */
  readonly knownMax: number;
}

export class TokenReviewQueue {
  readonly #options: LineOptions;
  /** Keys of tokens that were good; the one that was judged longest ago comes first. */
  readonly #known = new Set<string>();
  readonly #waiting: (() => void)[] = [];
  #evaluated = 0;

  constructor(options: LineOptions) {
    this.#options = options;
  }

  /** Undefined when the token is not good, or would have to wait and may not. */
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

  /** That of one who is done. */
  async #place(): Promise<void> {
    if (this.#waiting.length >= this.#options.waitingMax)
      throw new FleetError('unavailable', {
        reason: 'TooManyTokenReviews',
        message: 'too many tokens that we do not know are waiting to be judged',
      });
    await new Promise<void>((resolve) => void this.#waiting.push(resolve));
  }

  #know(key: string): void {
    const [oldest] = this.#known;
    if (this.#known.size >= this.#options.knownMax && oldest !== undefined) this.#known.delete(oldest);
    this.#known.add(key);
  }
}
