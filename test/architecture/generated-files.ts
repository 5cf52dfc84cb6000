/**
 * The output of the generator: the shape that scripts/generate/files.ts exports. The module is loaded from the checked
 * tree, so the command can check any root, and trees without a generator pass.
 */
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';

export interface GeneratedFiles {
  /** Path from the root to content. */
  readonly files: ReadonlyMap<string, string>;
  /** Folders with generated files only. */
  readonly folders: readonly string[];
}

interface Generator {
  readonly generatedFiles: () => ReadonlyMap<string, string> | Promise<ReadonlyMap<string, string>>;
  readonly generatedFolders: readonly string[];
}

export async function loadGeneratedFiles(root: string): Promise<GeneratedFiles | undefined> {
  const path = join(root, 'scripts/generate/files.ts');
  if (!existsSync(path)) return undefined;
  const generator: unknown = await import(pathToFileURL(path).href);
  if (!isGenerator(generator))
    throw new Error(`${path} does not export generatedFiles() and generatedFolders`);
  return { files: await generator.generatedFiles(), folders: generator.generatedFolders };
}

function isGenerator(value: unknown): value is Generator {
  return (
    typeof value === 'object' &&
    value !== null &&
    'generatedFiles' in value &&
    typeof value.generatedFiles === 'function' &&
    'generatedFolders' in value &&
    Array.isArray(value.generatedFolders)
  );
}
