/**
 * What the generator would write: the shape that scripts/generate/files.ts exports.
 * Loading it from the checked tree lets the command judge any root, and trees without a generator pass.
 */
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';

export interface GeneratedFiles {
  /** Path from the root to content. */
  readonly files: ReadonlyMap<string, string>;
  /** Folders that hold nothing but generated files. */
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
