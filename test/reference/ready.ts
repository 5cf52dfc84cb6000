/**
 * The sources of a reference program, in a fixed order: KUBEBUILDER_ASSETS, the per-user cache, a mirror, the Go build;
 * for Debian programs the system, then apt-get. `find` only searches; `makeReady` also fetches and builds.
 */
import { createHash } from 'node:crypto';
import { access, constants, readFile, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { cacheRoot, fillOnce, lookUp, type Environment } from './cache.ts';
import { whenMissing } from './error-code.ts';
import { MissingReferenceError } from './reference-error.ts';
import type { GoRecipe, ReferenceProgram } from './programs.ts';
import { buildWithGo, modulesFolder } from './sources/go-build.ts';
import { findOnSystem, installWithApt } from './sources/debian.ts';
import { fetchFromMirror } from './sources/mirror.ts';
import { probeVersion } from './version.ts';

export interface Found {
  readonly program: ReferenceProgram;
  readonly path: string;
  readonly source: 'KUBEBUILDER_ASSETS' | 'cache' | 'system';
  /** The version that the program prints. */
  readonly version: string;
  /** The cache entry, for files of the program beside its binary. */
  readonly entry?: { readonly dir: string; readonly key: string };
}
export interface Missing {
  readonly program: ReferenceProgram;
  readonly why: string;
  readonly next: string;
}
export type Looked = Found | Missing;

export interface Workshop {
  readonly env: Environment;
  readonly progress: (line: string) => void;
  /** The folder of the pinned modules; only tests of this file change it. */
  readonly modules?: string;
}

export function isFound(looked: Looked): looked is Found {
  return 'path' in looked;
}

export async function find(program: ReferenceProgram, workshop: Workshop): Promise<Looked> {
  const next = `run: npm run references -- ${program.group}`;
  const { recipe } = program;
  if (recipe.kind === 'debian') {
    const path = await findOnSystem(recipe, workshop.env['PATH'] ?? '');
    return path === undefined
      ? { program, why: `Debian's ${recipe.package} is not installed`, next }
      : found({ program, path, source: 'system' });
  }
  const asset = await findInAssets(program, workshop.env);
  if (asset !== undefined) return found({ program, path: asset, source: 'KUBEBUILDER_ASSETS' });
  const key = await keyOf(program, recipe, workshop.modules);
  const cached = await lookUp({ root: cacheRoot(workshop.env), key, program: programIn(program) });
  if (cached.state === 'good') return foundInCache(program, { dir: cached.dir, key });
  const why = cached.state === 'damaged' ? `the cached copy is damaged: ${cached.why}` : 'not built yet';
  return { program, why, next };
}

/** The same for a list of every program: an obstacle becomes a missing program. */
export async function look(program: ReferenceProgram, workshop: Workshop): Promise<Looked> {
  return find(program, workshop).catch((error: unknown): Missing => {
    if (error instanceof MissingReferenceError) return { program, why: error.message, next: error.next };
    throw error;
  });
}

export async function makeReady(program: ReferenceProgram, workshop: Workshop): Promise<Found> {
  const looked = await find(program, workshop);
  if (isFound(looked)) return looked;
  const { recipe } = program;
  if (recipe.kind === 'debian') {
    await installWithApt(recipe, workshop.progress);
    const installed = await find(program, workshop);
    if (isFound(installed)) return installed;
    throw new MissingReferenceError(
      `${recipe.package} was installed, but ${recipe.commands[0]} is nowhere to be found`,
      installed.next,
    );
  }
  if (looked.why !== 'not built yet') workshop.progress(`${program.name}: ${looked.why}; making it anew`);
  const key = await keyOf(program, recipe, workshop.modules);
  const onWait = (): void => workshop.progress(`${program.name}: another run is making it; waiting`);
  const dir = await fillOnce(
    { root: cacheRoot(workshop.env), key, program: programIn(program), onWait },
    (into) => obtain({ program, recipe, key, into }, workshop),
  );
  return foundInCache(program, { dir, key });
}

interface Obtain {
  readonly program: ReferenceProgram;
  readonly recipe: GoRecipe;
  readonly key: string;
  readonly into: string;
}

async function obtain(wanted: Obtain, workshop: Workshop): Promise<void> {
  const { program, recipe, into } = wanted;
  if (!(await obtainFromMirror(wanted, workshop))) {
    await buildWithGo(
      { program, recipe, into, env: workshop.env, progress: workshop.progress },
      workshop.modules,
    );
  }
  // A program that cannot run or has another version must not become a cache entry.
  const version = await probeVersion(program, join(into, programIn(program)));
  if (version !== program.version) {
    throw new MissingReferenceError(
      `what was made as ${program.name} ${program.version} calls itself ${version}`,
      `compare test/reference/programs.ts with test/reference/modules/${recipe.module}/go.mod`,
    );
  }
}

async function obtainFromMirror(
  { program, key, into }: Obtain,
  { env, progress }: Workshop,
): Promise<boolean> {
  const mirror = env['MUSTER_REAL_MIRROR'];
  if (mirror === undefined || mirror === '') return false;
  progress(`${program.name}: asking the mirror`);
  const fetched = await fetchFromMirror(mirror, key, into);
  if (!fetched) progress(`${program.name}: not on the mirror`);
  return fetched;
}

async function findInAssets(program: ReferenceProgram, env: Environment): Promise<string | undefined> {
  const folder = env['KUBEBUILDER_ASSETS'];
  if (folder === undefined || folder === '' || program.group !== 'kube') return undefined;
  const isFolder = await stat(folder).then(
    (it) => it.isDirectory(),
    () => false,
  );
  if (!isFolder)
    throw new MissingReferenceError(
      `KUBEBUILDER_ASSETS names ${folder}, which is not a folder`,
      'correct it or unset it; without it the programs come from the cache or are built',
    );
  // The published archives have the API server, etcd and kubectl only; the rest comes from the next sources.
  const path = join(folder, program.name);
  return access(path, constants.X_OK).then(
    () => path,
    () => undefined,
  );
}

function programIn(program: ReferenceProgram): string {
  return join('bin', program.name);
}

/** Any change of the build inputs gives another name, so an old binary is never used for a new one. */
export async function keyOf(
  program: ReferenceProgram,
  recipe: GoRecipe,
  modules = modulesFolder,
): Promise<string> {
  const hash = createHash('sha256').update(JSON.stringify(recipe));
  for (const file of ['go.mod', 'go.sum']) hash.update(await readModuleFile(modules, recipe.module, file));
  return `${program.name}-${program.version}-${process.platform}-${process.arch}-${hash.digest('hex').slice(0, 12)}`;
}

async function readModuleFile(modules: string, module: string, file: string): Promise<string> {
  const text = await readFile(join(modules, module, file), 'utf8').catch(whenMissing);
  if (text !== undefined) return text;
  const where = `test/reference/modules/${module}/${file}`;
  throw new MissingReferenceError(`${where} is missing`, `restore it with: git checkout -- ${where}`);
}

async function foundInCache(
  program: ReferenceProgram,
  entry: { readonly dir: string; readonly key: string },
): Promise<Looked & Found> {
  return {
    ...(await describeFound({ program, path: join(entry.dir, programIn(program)), source: 'cache' })),
    entry,
  };
}

async function found(at: Omit<Found, 'version'>): Promise<Looked> {
  const described = await describeFound(at);
  if (at.source === 'system' && isOlder(described.version, at.program.version)) {
    return {
      program: at.program,
      why: `${at.path} is version ${described.version}; ${at.program.version} or newer is needed`,
      next: 'upgrade the package',
    };
  }
  return described;
}

async function describeFound(at: Omit<Found, 'version'>): Promise<Found> {
  return { ...at, version: await probeVersion(at.program, at.path) };
}

function isOlder(version: string, than: string): boolean {
  const numbers = version.split('.').map(Number);
  const wanted = than.split('.').map(Number);
  const at = wanted.findIndex((part, index) => part !== (numbers[index] ?? 0));
  return at !== -1 && (numbers[at] ?? 0) < (wanted[at] ?? 0);
}
