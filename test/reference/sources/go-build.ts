/**
 * Builds a reference program from its pinned Go module. The go.sum of the module is read-only here: a build uses
 * exactly the reviewed sources, or fails with the reason.
 */
import { chmod, cp, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { MissingReferenceError } from '../reference-error.ts';
import { removeTree } from '../remove-tree.ts';
import { moduleFolder, runGo, type GoJob } from './go-tool.ts';

export const modulesFolder = fileURLToPath(new URL('../modules', import.meta.url));

export interface BuildOrder extends GoJob {
  /** An empty folder; the program is written to `bin/<name>` in the folder. */
  readonly into: string;
  readonly progress: (line: string) => void;
}

export async function buildWithGo(order: BuildOrder, modules = modulesFolder): Promise<void> {
  const { program, recipe, into, progress } = order;
  const module = join(modules, recipe.module);
  const [cwd, what] =
    recipe.patch === undefined ? [module, recipe.package] : [await copyPatched(order, module), '.'];
  let packages = 0;
  const onLine = (line: string): void => {
    if (line.startsWith('go: downloading')) progress(`${program.name}: ${line.slice('go: '.length)}`);
    else progress(`${program.name}: compiled ${(packages += 1)} packages`);
  };
  const flags = ['-v', '-mod=readonly', '-trimpath', '-buildvcs=false', ...recipe.flags];
  await runGo(order, ['build', ...flags, '-o', join(into, 'bin', program.name), what], { cwd, onLine });
  await removeTree(join(into, 'source'));
  await keepModuleFiles(order, module);
}

/** Go refuses replacements of files in its module cache, so a program with a patch is built from a copy. */
async function copyPatched(order: BuildOrder, module: string): Promise<string> {
  const { program, recipe, into } = order;
  const copy = join(into, 'source');
  await cp(await moduleFolder(order, recipe.package, module), copy, { recursive: true });
  const main = join(copy, 'main.go');
  const text = await readFile(main, 'utf8');
  const patch = recipe.patch ?? { find: '', replaceWith: '' };
  if (text.split(patch.find).length !== 2) {
    throw new MissingReferenceError(
      `the patch of ${program.name} no longer fits its source`,
      'compare test/reference/programs.ts with the pinned version of the module',
    );
  }
  await chmod(main, 0o644);
  await writeFile(main, text.replace(patch.find, patch.replaceWith));
  return copy;
}

async function keepModuleFiles(order: BuildOrder, module: string): Promise<void> {
  const keep = order.recipe.alsoKeep;
  if (keep === undefined) return;
  const folder = await moduleFolder(order, keep.from, module);
  for (const [from, to] of Object.entries(keep.paths)) {
    await cp(join(folder, from), join(order.into, to), { recursive: true });
  }
}
