/** The body of a request, up to a limit: what is longer is refused without being kept. */
import type { Readable } from 'node:stream';
import { StatusError } from '../status-error.ts';

/** The limit of the real server. */
export const bodyBytesMax = 3 * 1024 * 1024;
/** Whoever shows no credentials has little to say, whatever the roles allow. */
export const anonymousBytesMax = 64 * 1024;

export async function readBody(request: Readable, bytesMax: number): Promise<Uint8Array> {
  try {
    return await read(request, bytesMax);
  } catch (error) {
    if (error instanceof StatusError || !request.destroyed) throw error;
    // The client broke off, which is no failure of ours; nobody is left to read the answer.
    throw new StatusError('BadRequest', 'the body of the request broke off');
  }
}

async function read(request: Readable, bytesMax: number): Promise<Uint8Array> {
  const chunks: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of request) {
    const piece = Buffer.from(chunk);
    bytes += piece.length;
    if (bytes > bytesMax)
      throw new StatusError('RequestEntityTooLarge', `Request entity too large: limit is ${bytesMax}`);
    chunks.push(piece);
  }
  return Buffer.concat(chunks);
}
