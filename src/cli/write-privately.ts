/** Writes a file that holds a key: a reader never sees half of it, and nobody but its owner may read it. */
import { existsSync } from 'node:fs';
import { rename, rm, writeFile } from 'node:fs/promises';
import { dirname } from 'node:path';
import { makeDirectory } from '../apiserver/store/store-directory.ts';

export async function writePrivately(file: string, text: string): Promise<void> {
  const partial = `${file}.partial`;
  try {
    makeDirectory(dirname(file));
    await writeFile(partial, `${text}\n`, { mode: 0o600 });
    await rename(partial, file);
  } catch (error) {
    if (existsSync(partial)) await rm(partial);
    const why = error instanceof Error ? error.message : String(error);
    throw new Error(`${file} cannot be written: ${why}`, { cause: error });
  }
}
