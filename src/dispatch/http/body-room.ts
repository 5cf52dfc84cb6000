/**
 * Reads bodies as the bytes that came, all of them out of one room: before a signature was checked anybody may send them, and
 * a hundred long ones at once must not cost us the process. Who finds no room is told to come again.
 */
import type { IncomingMessage } from 'node:http';
import { FleetError } from '../../errors/fleet-error.ts';

/** Told with this status, as the server tells what it refuses itself. */
class BodyRefused extends Error {
  readonly statusCode: 400 | 413;

  constructor(statusCode: 400 | 413, message: string, cause?: Error) {
    super(message, { cause });
    this.statusCode = statusCode;
  }
}

export class BodyRoom {
  readonly #bytesMax: number;
  #bytes = 0;
  readonly #bytesOf = new WeakMap<IncomingMessage, number>();

  constructor(bytesMax: number) {
    this.#bytesMax = bytesMax;
  }

  /** Its bytes count until it leaves, also when it was read only in part. */
  async read(body: IncomingMessage, bytesMax: number): Promise<Buffer> {
    const declared = body.headers['content-length'];
    if (Number(declared ?? 0) > bytesMax) throw tooLong();
    const bytes = await this.#collect(body, bytesMax);
    if (declared !== undefined && Number(declared) !== bytes.length)
      throw new BodyRefused(400, 'the body is not as long as it says');
    return bytes;
  }

  leave(body: IncomingMessage): void {
    this.#bytes -= this.#bytesOf.get(body) ?? 0;
    this.#bytesOf.delete(body);
  }

  async #collect(body: IncomingMessage, bytesMax: number): Promise<Buffer> {
    const chunks: Buffer[] = [];
    return new Promise((resolve, reject) => {
      const settle = (act: () => void): void => {
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
      body.on('data', take).once('end', end).once('error', leftOff);
    });
  }

  #take(body: IncomingMessage, length: number, bytesMax: number): Error | undefined {
    const own = (this.#bytesOf.get(body) ?? 0) + length;
    if (own > bytesMax) return tooLong();
    if (this.#bytes + length > this.#bytesMax) return crowded();
    this.#bytesOf.set(body, own);
    this.#bytes += length;
    return undefined;
  }
}

function tooLong(): BodyRefused {
  return new BodyRefused(413, 'the body is too long');
}

function crowded(): FleetError {
  return new FleetError('unavailable', {
    reason: 'TooManyBodies',
    message: 'other requests that are being read leave no room for this one',
  });
}
