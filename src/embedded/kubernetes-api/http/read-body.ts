/**
 * The body of a request, up to a limit in bytes, in time, and in what all bodies under way may take together: what is
 * longer, slower or too much is refused without being kept.
 */
import type { Readable } from 'node:stream';
import type { Clock } from '../../../platform/clock.ts';
import { StatusError } from '../status-error.ts';

/** The limit of the real server. */
export const bodyBytesMax = 3 * 1024 * 1024;
/** Whoever shows no credentials has little to say, whatever the roles allow. */
export const anonymousBytesMax = 64 * 1024;
/** Half of a body is not worth keeping for longer. */
export const bodyWithinMs = 30_000;

/** What the bodies of one kind of callers may take while they arrive. */
export class BodyBudget {
  readonly eachMax: number;
  readonly #totalMax: number;
  #held = 0;

  constructor(eachMax: number, totalMax: number) {
    this.eachMax = eachMax;
    this.#totalMax = totalMax;
  }

  take(bytes: number): void {
    if (this.#held + bytes > this.#totalMax)
      throw new StatusError('TooManyRequests', 'too many bodies of requests are under way, try again later', {
        retryAfterSeconds: 1,
      });
    this.#held += bytes;
  }

  giveBack(bytes: number): void {
    this.#held -= bytes;
  }
}

export async function readBody(request: Readable, budget: BodyBudget, clock: Clock): Promise<Uint8Array> {
  const late = Promise.withResolvers<never>();
  const cancel = clock.after(bodyWithinMs, () =>
    late.reject(
      new StatusError('Timeout', `the body of the request did not arrive within ${bodyWithinMs} ms`),
    ),
  );
  const reading = read(request, budget);
  // After the deadline nobody waits for it any more.
  void Promise.allSettled([reading]);
  try {
    return await Promise.race([reading, late.promise]);
  } catch (error) {
    if (error instanceof StatusError || !request.destroyed) throw error;
    // The client broke off, which is no failure of ours; nobody is left to read the answer.
    throw new StatusError('BadRequest', 'the body of the request broke off');
  } finally {
    cancel();
  }
}

async function read(request: Readable, budget: BodyBudget): Promise<Uint8Array> {
  const chunks: Buffer[] = [];
  let bytes = 0;
  try {
    for await (const chunk of request) {
      const piece = Buffer.from(chunk);
      if (bytes + piece.length > budget.eachMax)
        throw new StatusError(
          'RequestEntityTooLarge',
          `Request entity too large: limit is ${budget.eachMax}`,
        );
      budget.take(piece.length);
      bytes += piece.length;
      chunks.push(piece);
    }
    return Buffer.concat(chunks);
  } finally {
    budget.giveBack(bytes);
  }
}
