/**
 * A mirror is any web server over a folder that `npm run references -- --export DIR` wrote: one archive per cache entry
 * with its digest. A mirror saves the build on each machine; whoever sets a mirror trusts it.
 */
import { createWriteStream } from 'node:fs';
import { mkdir, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { sha256Of } from '../cache.ts';
import { whenMissing } from '../error-code.ts';
import { MissingReferenceError } from '../reference-error.ts';
import { runCommand } from '../run-command.ts';

const connectMs = 10_000;
const fixIt = 'fix or unset MUSTER_REAL_MIRROR; without it the program is built from source';

/** Unpacks the entry `key` into the folder `into`; `false` without the entry on the mirror. */
export async function fetchFromMirror(mirror: string, key: string, into: string): Promise<boolean> {
  const base = `${mirror.replace(/\/+$/, '')}/${key}.tar.gz`;
  const digest = await get(`${base}.sha256`);
  if (digest === undefined) return false;
  const body = await get(base);
  if (body === undefined || body.body === null)
    throw new MissingReferenceError(`the mirror lists ${key} but does not serve it`, fixIt);
  const archive = `${into}.tar.gz`;
  try {
    await pipeline(Readable.fromWeb(body.body), createWriteStream(archive));
    if ((await sha256Of(archive)) !== (await digest.text()).trim()) {
      throw new MissingReferenceError(`what the mirror serves as ${key} does not match its digest`, fixIt);
    }
    await mkdir(into, { recursive: true });
    const unpacked = await runCommand('tar', ['-xzf', archive, '-C', into]);
    if (unpacked.status !== 0)
      throw new MissingReferenceError(
        `the mirror's archive of ${key} cannot be unpacked: ${unpacked.stderr.trim()}`,
        fixIt,
      );
  } finally {
    await rm(archive, { force: true });
  }
  return true;
}

export async function exportEntry(
  entry: { readonly dir: string; readonly key: string },
  folder: string,
): Promise<string> {
  await mkdir(folder, { recursive: true });
  const archive = join(folder, `${entry.key}.tar.gz`);
  const packed = await runCommand('tar', ['-czf', archive, '--exclude=manifest.json', '-C', entry.dir, '.']);
  if (packed.status !== 0)
    throw new MissingReferenceError(
      `${archive} cannot be written: ${packed.stderr.trim()}`,
      'check the folder and the free space',
    );
  // Written last, so that a mirror never offers an unfinished archive.
  await writeFile(`${archive}.sha256`, `${await sha256Of(archive)}\n`);
  return archive;
}

async function get(url: string): Promise<Response | undefined> {
  const local = url.startsWith('file:') ? await readFile(new URL(url)).catch(whenMissing) : null;
  if (local !== null) return local === undefined ? undefined : new Response(local);
  let answer: Response;
  try {
    answer = await fetch(url, {
      signal: AbortSignal.timeout(url.endsWith('.sha256') ? connectMs : 30 * 60_000),
    });
  } catch (error) {
    throw new MissingReferenceError(`the mirror does not answer at ${url}`, fixIt, { cause: error });
  }
  if (answer.status === 404) return undefined;
  if (!answer.ok) throw new MissingReferenceError(`the mirror answers ${answer.status} at ${url}`, fixIt);
  return answer;
}
