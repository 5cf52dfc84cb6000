/**
 * Reads the body of a request with limits in bytes, time, and total memory of all bodies in progress. A body over a
 * limit is rejected and not kept.
 */
import type { Readable } from 'node:stream';
import type { Clock } from '../../../platform/clock.ts';
import { StatusError } from '../status-error.ts';

/** The limit of the real server. */
export const bodyBytesMax = 3 * 1024 * 1024;
/** The limit of unauthenticated clients, independent of roles. */
export const anonymousBytesMax = 64 * 1024;
/** The deadline of a body. */
export const bodyWithinMs = 30_000;

/** The memory budget of the bodies of one kind of caller. */
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
  // After the deadline the read is abandoned.
  void Promise.allSettled([reading]);
  try {
    return await Promise.race([reading, late.promise]);
  } catch (error) {
    if (error instanceof StatusError || !request.destroyed) throw error;
    // The client disconnected: no internal error, and no reader of the answer.
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
