/**
 * The per-user cache of built reference programs. An entry is a folder with a manifest of the sizes and digests of its
 * files. An entry appears under its name in one rename, so a half-written entry is never visible. Before every use the
 * entry is compared with its manifest, so a damaged entry is never run.
 */
import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { access, constants, mkdir, readFile, readdir, rename, stat, writeFile } from 'node:fs/promises';
import { homedir } from 'node:os';
import { join, relative, resolve } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { z } from 'zod';
import { withLock } from './cache-lock.ts';
import { errorCode, whenMissing } from './error-code.ts';
import { MissingReferenceError } from './reference-error.ts';
import { removeTree } from './remove-tree.ts';

const manifestSchema = z.record(z.string(), z.object({ size: z.int(), sha256: z.string() }));
type Manifest = z.infer<typeof manifestSchema>;

export type Lookup =
  | { readonly state: 'good'; readonly dir: string }
  | { readonly state: 'absent' }
  | { readonly state: 'damaged'; readonly why: string };

export type Environment = Readonly<Record<string, string | undefined>>;

const manifestName = 'manifest.json';

export function cacheRoot(env: Environment): string {
  if (env['MUSTER_CACHE']) return resolve(env['MUSTER_CACHE'], 'real');
  const base =
    process.platform === 'darwin' ? join(homedir(), 'Library', 'Caches') : join(homedir(), '.cache');
  return join(env['XDG_CACHE_HOME'] || base, 'muster', 'real');
}

export interface Place {
  readonly root: string;
  readonly key: string;
  /** The program of the entry; an entry without it is damaged, whatever its manifest says. */
  readonly program: string;
}

export async function lookUp({ root, key, program }: Place): Promise<Lookup> {
  return withUsableFolder(root, async () => {
    const dir = join(root, key);
    const text = await readFile(join(dir, manifestName), 'utf8').catch(whenMissing);
    if (text === undefined) return { state: 'absent' };
    const why = await firstDamage(dir, program, text);
    return why === undefined ? { state: 'good', dir } : { state: 'damaged', why };
  });
}

/** Fills an entry unless another run has done so meanwhile; runs for one key are serialized. */
export async function fillOnce(
  at: Place & { readonly onWait: () => void },
  fill: (dir: string) => Promise<void>,
): Promise<string> {
  return withUsableFolder(at.root, async () => {
    await mkdir(at.root, { recursive: true });
    return withLock({ file: join(at.root, `${at.key}.lock`), onWait: at.onWait }, () => fillLocked(at, fill));
  });
}

async function fillLocked(at: Place, fill: (dir: string) => Promise<void>): Promise<string> {
  const before = await lookUp(at);
  if (before.state === 'good') return before.dir;
  // This process holds the lock, so a half-written entry under this key is left over from a dead run.
  const partial = join(at.root, `.partial-${at.key}`);
  const dir = join(at.root, at.key);
  await removeTree(partial);
  await removeTree(dir);
  await mkdir(partial);
  await fill(partial);
  await writeFile(join(partial, manifestName), `${JSON.stringify(await describe(partial), null, 2)}\n`);
  await rename(partial, dir);
  return dir;
}

/** Only the user can repair an unwritable folder, so the error is a sentence and not a stack trace. */
async function withUsableFolder<T>(root: string, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    const code = errorCode(error);
    if (error instanceof MissingReferenceError || typeof code !== 'string') throw error;
    const next = 'free some space there, or set MUSTER_CACHE to a folder that you may write to';
    throw new MissingReferenceError(
      `the cache ${root} cannot be used: ${error instanceof Error ? error.message : code}`,
      next,
      { cause: error },
    );
  }
}

export async function sha256Of(file: string): Promise<string> {
  const hash = createHash('sha256');
  await pipeline(createReadStream(file, { highWaterMark: 1 << 20 }), hash);
  return hash.digest('hex');
}

async function firstDamage(dir: string, program: string, manifestText: string): Promise<string | undefined> {
  const manifest = parseManifest(manifestText);
  if (manifest === undefined) return `${manifestName} is not readable`;
  if (manifest[program] === undefined) return `${program} is not in ${manifestName}`;
  for (const [path, expected] of Object.entries(manifest)) {
    const found = await stat(join(dir, path)).catch(whenMissing);
    if (found === undefined) return `${path} is missing`;
    if (found.size !== expected.size) return `${path} has ${found.size} bytes instead of ${expected.size}`;
    if ((await sha256Of(join(dir, path))) !== expected.sha256)
      return `${path} has another checksum than when it was made`;
  }
  const runs = await access(join(dir, program), constants.X_OK).then(
    () => true,
    () => false,
  );
  return runs ? undefined : `${program} may not be executed`;
}

function parseManifest(text: string): Manifest | undefined {
  try {
    return manifestSchema.safeParse(JSON.parse(text)).data;
  } catch (error) {
    if (error instanceof SyntaxError) return undefined;
    throw error;
  }
}

async function describe(dir: string): Promise<Manifest> {
  const entries = await readdir(dir, { recursive: true, withFileTypes: true });
  const files = entries.filter((entry) => entry.isFile()).map((entry) => join(entry.parentPath, entry.name));
  const described = files.toSorted().map(async (file) => {
    const { size } = await stat(file);
    return [relative(dir, file), { size, sha256: await sha256Of(file) }] as const;
  });
  return Object.fromEntries(await Promise.all(described));
}
