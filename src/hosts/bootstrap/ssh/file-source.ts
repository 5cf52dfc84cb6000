/** A file of this machine as the source of uploads. Its digest is computed once, for all hosts. */
import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import type { UploadSource } from './port.ts';

/** Node reads one chunk ahead. */
const chunkBytes = 64 * 1024;

export async function fileSource(path: string): Promise<UploadSource> {
  const open = (): AsyncIterable<Uint8Array> => createReadStream(path, { highWaterMark: chunkBytes });
  const hash = createHash('sha256');
  let size = 0;
  for await (const piece of open()) {
    hash.update(piece);
    size += piece.length;
  }
  return { size, sha256: hash.digest('hex'), open };
}
