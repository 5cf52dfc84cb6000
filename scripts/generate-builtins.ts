/**
 * Asks a real kube-apiserver what its kinds look like, and writes the schemas that the embedded one uses. It needs the
 * judges (npm run real -- kube), which is why it is no part of `npm run generate`.
 */
import { join } from 'node:path';
import { startKubeFrom } from '../test/real/bring-up.ts';
import { explain, JudgeError } from '../test/real/judge-error.ts';
import { judgesOf } from '../test/real/judges.ts';
import { Workplace } from '../test/real/launch/workplace.ts';
import { progressPrinter } from '../test/real/progress.ts';
import { makeReady } from '../test/real/ready.ts';
import { readBuiltinSchemas } from './generate/read-builtin-schemas.ts';
import { builtinSchemasFile } from './generate/builtin-schemas.ts';
import { refresh } from './generate/stale.ts';

async function run(): Promise<void> {
  const workshop = { env: process.env, progress: progressPrinter() };
  const found = await Promise.all(judgesOf('kube').map((judge) => makeReady(judge, workshop)));
  const workplace = await Workplace.open('generate');
  try {
    const bench = new Map(found.map((one) => [one.judge.name, one]));
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
  if (!(error instanceof JudgeError)) throw error;
  process.stderr.write(`${explain(error)}\n`);
  process.exitCode = 1;
}
