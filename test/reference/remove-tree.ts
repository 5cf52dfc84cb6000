/** Removes a folder that may contain read-only folders, such as copies from Go's module cache. */
import { chmod, readdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { whenMissing } from './error-code.ts';

export async function removeTree(folder: string): Promise<void> {
  const entries = (await readdir(folder, { recursive: true, withFileTypes: true }).catch(whenMissing)) ?? [];
  for (const entry of entries)
    if (entry.isDirectory()) await chmod(join(entry.parentPath, entry.name), 0o755);
  await rm(folder, { recursive: true, force: true });
}
