/** Writes every generated file, or with --check only lists the outdated ones. */
import { join } from 'node:path';
import { parseArgs } from 'node:util';

import { generatedFiles, generatedFolders } from './generate/files.ts';
import { refresh, staleFiles } from './generate/stale.ts';
import type { Generated } from './generate/stale.ts';

const usage = `Usage: npm run generate [-- --check]

Writes the CustomResourceDefinitions, the rules of the chart's roles, the OpenAPI document and the reference pages from the tables in src.

  --check   write nothing; list files that are out of date and exit with 1 if there are any
  --help    show this text
`;

function run(): number {
  const { values } = parseArgs({ options: { check: { type: 'boolean' }, help: { type: 'boolean' } } });
  if (values.help === true) {
    process.stdout.write(usage);
    return 0;
  }
  const root = join(import.meta.dirname, '..');
  const generated = { files: generatedFiles(), folders: generatedFolders };
  return values.check === true ? check(root, generated) : write(root, generated);
}

function write(root: string, generated: Generated): number {
  const done = { missing: 'created', changed: 'updated', 'left over': 'removed' } as const;
  for (const { path, how } of refresh(root, generated)) process.stdout.write(`${done[how]}: ${path}\n`);
  process.stdout.write(`${generated.files.size} generated files are up to date\n`);
  return 0;
}

function check(root: string, generated: Generated): number {
  const stale = staleFiles(root, generated);
  for (const { path, how } of stale) process.stdout.write(`${how}: ${path}\n`);
  process.stdout.write(
    stale.length === 0
      ? `${generated.files.size} generated files are up to date\n`
      : `${stale.length} generated files are out of date; run npm run generate\n`,
  );
  return stale.length === 0 ? 0 : 1;
}

function isUsageError(error: unknown): error is Error {
  return error instanceof TypeError && 'code' in error && String(error.code).startsWith('ERR_PARSE_ARGS_');
}

try {
  process.exitCode = run();
} catch (error) {
  if (!isUsageError(error)) throw error;
  process.stderr.write(`${error.message}\n\n${usage}`);
  process.exitCode = 2;
}
