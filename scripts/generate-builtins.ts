/**
 * Reads the OpenAPI documents of a real kube-apiserver, and writes the schemas of the embedded server. Needs the
 * reference programs (npm run references -- kube), so it is not part of `npm run generate`.
 */
import { join } from 'node:path';
import { startKubeFrom } from '../test/reference/bring-up.ts';
import { explain, MissingReferenceError } from '../test/reference/reference-error.ts';
import { programsOf } from '../test/reference/programs.ts';
import { Workplace } from '../test/reference/launch/workplace.ts';
import { progressPrinter } from '../test/reference/progress.ts';
import { makeReady } from '../test/reference/ready.ts';
import { readBuiltinSchemas } from './generate/read-builtin-schemas.ts';
import { builtinSchemasFile } from './generate/builtin-schemas.ts';
import { refresh } from './generate/stale.ts';

async function run(): Promise<void> {
  const workshop = { env: process.env, progress: progressPrinter() };
  const found = await Promise.all(programsOf('kube').map((evaluate) => makeReady(evaluate, workshop)));
  const workplace = await Workplace.open('generate');
  try {
    const bench = new Map(found.map((one) => [one.program.name, one]));
    const kube = await startKubeFrom(bench, { workplace });
    const text = await readBuiltinSchemas((path) => kube.mustKubectl(['get', '--raw', path]));
    const root = join(import.meta.dirname, '..');
    const changed = refresh(root, { files: new Map([[builtinSchemasFile, text]]), folders: [] });
    process.stdout.write(
      changed.length === 0 ? `${builtinSchemasFile} is up to date\n` : `updated: ${builtinSchemasFile}\n`,
    );
  } finally {
    await workplace.close('remove');
  }
}

try {
  await run();
} catch (error) {
  if (!(error instanceof MissingReferenceError)) throw error;
  process.stderr.write(`${explain(error)}\n`);
  process.exitCode = 1;
}
