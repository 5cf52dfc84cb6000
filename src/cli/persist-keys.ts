/** Loads the keys of an embedded server from its data folder, or creates them there. */
import { existsSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Ports } from '../embedded/kubernetes-api/http/certificates.ts';
import {
  createServerKeys,
  keptKeys,
  openServerKeys,
  type ServerKeys,
} from '../embedded/kubernetes-api/http/server-keys.ts';
import { writePrivately } from './write-secret-file.ts';

const fileName = 'keys.json';

/** Without a folder, the keys end with the process, as the state does. */
export async function keepKeys(folder: string | undefined, ports: Ports): Promise<ServerKeys> {
  if (folder === undefined) return createServerKeys(ports);
  const file = join(folder, fileName);
  if (existsSync(file)) return open(file, ports);
  const keys = await createServerKeys(ports);
  await writePrivately(file, keptKeys(keys));
  return keys;
}

async function open(file: string, ports: Ports): Promise<ServerKeys> {
  try {
    return openServerKeys(await readFile(file, 'utf8'), ports);
  } catch (error) {
    const remedy =
      'restore the file from a copy, or remove the file; removal invalidates every earlier kubeconfig and token';
    throw new Error(`the keys in ${file} cannot be read; ${remedy}`, { cause: error });
  }
}
