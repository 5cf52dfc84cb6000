/** Writes a file that holds a key: atomically, and readable only by its owner. */
import { mkdtemp, open, rename, rm } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { makeDirectory, privateFile } from '../embedded/kubernetes-api/store/store-directory.ts';

export async function writePrivately(file: string, text: string): Promise<void> {
  try {
    makeDirectory(dirname(file));
    // A guessable name could already exist, as a file that others may read or as a link to another file.
    const folder = await mkdtemp(`${file}.partial-`);
    try {
      await replace(file, join(folder, 'text'), text);
    } finally {
      await rm(folder, { recursive: true });
    }
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error);
    throw new Error(`${file} cannot be written: ${why}`, { cause: error });
  }
}

async function replace(file: string, partial: string, text: string): Promise<void> {
  const handle = await open(partial, 'wx', privateFile);
  try {
    await handle.writeFile(`${text}\n`);
    await handle.sync();
  } finally {
    await handle.close();
  }
  await rename(partial, file);
}
