/**
 * Reads request bodies as raw bytes, within one memory limit: anyone may send bodies before a signature is checked, and
 * a hundred long bodies at once must not exhaust the process. When the limit is reached, the oldest unfinished bodies
 * are cut off: an honest body arrives in a moment, and a client that starts many bodies must not block others. A
 * refused client is asked to retry.
 */
import type { IncomingMessage } from 'node:http';
import { FleetError } from '../../platform/errors/fleet-error.ts';

/** The reason in the 503 answer. */
export const bodyLimitReached = 'TooManyBodies';

/** Fastify answers with `statusCode`, as for its own errors. */
class BodyRefused extends Error {
  readonly statusCode: 400 | 413;

  constructor(statusCode: 400 | 413, message: string, cause?: Error) {
    super(message, { cause });
    this.statusCode = statusCode;
  }
}

export class RequestBodyLimiter {
  readonly #bytesMax: number;
  #bytes = 0;
  readonly #bytesOf = new WeakMap<IncomingMessage, number>();
  /** Cuts off a body that is still arriving; oldest first. */
  readonly #coming = new Map<IncomingMessage, (why: Error) => void>();

  constructor(bytesMax: number) {
    this.#bytesMax = bytesMax;
  }

  /** The bytes count until `unread`, even if the body was read only in part. */
  async read(body: IncomingMessage, bytesMax: number): Promise<Buffer> {
    const declared = body.headers['content-length'];
    if (Number(declared ?? 0) > bytesMax) throw tooLong();
    const bytes = await this.#collect(body, bytesMax);
    if (declared !== undefined && Number(declared) !== bytes.length)
      throw new BodyRefused(400, 'the length of the body differs from Content-Length');
    return bytes;
  }

  unread(body: IncomingMessage): void {
    this.#bytes -= this.#bytesOf.get(body) ?? 0;
    this.#bytesOf.delete(body);
  }

  async #collect(body: IncomingMessage, bytesMax: number): Promise<Buffer> {
    const chunks: Buffer[] = [];
    return new Promise((resolve, reject) => {
      const settle = (act: () => void): void => {
        this.#coming.delete(body);
        body.removeListener('data', take).removeListener('end', end).removeListener('error', leftOff);
        act();
      };
      const fail = (error: Error): void => settle(() => reject(error));
      const leftOff = (error: Error): void => fail(new BodyRefused(400, 'the body ended too early', error));
      const end = (): void => settle(() => resolve(Buffer.concat(chunks)));
      const take = (chunk: Buffer): void => {
        const problem = this.#take(body, chunk.length, bytesMax);
        if (problem === undefined) chunks.push(chunk);
        else fail(problem);
      };
      this.#coming.set(body, fail);
      body.on('data', take).once('end', end).once('error', leftOff);
    });
  }

  #take(body: IncomingMessage, length: number, bytesMax: number): Error | undefined {
    const own = (this.#bytesOf.get(body) ?? 0) + length;
    if (own > bytesMax) return tooLong();
    this.#evictOldest(body, length);
    if (!this.#hasCapacity(length)) return tooManyBodies();
    this.#bytesOf.set(body, own);
    this.#bytes += length;
    return undefined;
  }

  #evictOldest(body: IncomingMessage, length: number): void {
    for (const [other, cutOff] of this.#coming) {
      if (this.#hasCapacity(length) || other === body) return;
      this.unread(other);
      cutOff(tooManyBodies());
    }
  }

  #hasCapacity(length: number): boolean {
    return this.#bytes + length <= this.#bytesMax;
  }
}

function tooLong(): BodyRefused {
  return new BodyRefused(413, 'the body is too long');
}

function tooManyBodies(): FleetError {
  return new FleetError('unavailable', {
    reason: bodyLimitReached,
    message: 'too many request bodies at once; try again later',
  });
}
