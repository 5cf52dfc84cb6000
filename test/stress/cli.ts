/** `npm run stress`: a million claims on real PostgreSQL, while workers are killed. */
import { parseArgs } from 'node:util';
import { explain, MissingReferenceError } from '../reference/reference-error.ts';
import { progressPrinter } from '../reference/progress.ts';
import { openFor } from './databases.ts';
import { runStressTest } from './stress.ts';
import { resultTable } from './result-table.ts';

const usage = `usage: npm run stress -- [--attempts N] [--seed N] [--database-url URL|npm|debian]

Has 200 Pods ask for jobs on real PostgreSQL, kills the processes that ask for them, and checks that no job or Pod is
claimed twice, no budget is exceeded and no job is lost.

--attempts N          how many Pods are tried in all (default 1000000)
--seed N              which choices are made (default: chosen, and printed)
--database-url WHERE  npm: the PostgreSQL that npm installed (default); debian: the one of the system;
                      or postgres://... of a server on which a database of its own is made and dropped
Exit status: 0 every rule held, 1 a rule was broken, 2 no database available, 64 wrong usage`;

class UsageError extends Error {}

interface Requirements {
  readonly attempts: number;
  readonly seed: number;
  readonly where: string;
}

function parseRequirements(args: readonly string[]): Requirements | 'help' {
  const values = parseStrictly(args);
  if (values.help === true) return 'help';
  const where = values['database-url'] ?? 'npm';
  if (where !== 'npm' && where !== 'debian' && !/^postgres(ql)?:\/\//.test(where))
    throw new UsageError('--database-url is npm, debian, or begins with postgres://');
  return {
    attempts: numberIn('--attempts', values.attempts ?? '1000000', 1),
    seed: values.seed === undefined ? Date.now() % 1_000_000_000 : numberIn('--seed', values.seed, 0),
    where,
  };
}

function numberIn(flag: string, text: string, least: number): number {
  const value = /^\d{1,12}$/.test(text) ? Number(text) : Number.NaN;
  if (value >= least) return value;
  throw new UsageError(`${flag} is ${JSON.stringify(text)}, but it takes a whole number from ${least}`);
}

function parseStrictly(args: readonly string[]) {
  const text = { type: 'string' } as const;
  const help = { type: 'boolean', short: 'h' } as const;
  const options = { attempts: text, seed: text, 'database-url': text, help } as const;
  try {
    return parseArgs({ args: [...args], options }).values;
  } catch (error) {
    throw new UsageError(error instanceof Error ? error.message : String(error), { cause: error });
  }
}

async function main(args: readonly string[]): Promise<number> {
  const requirements = parseRequirements(args);
  if (requirements === 'help') {
    console.log(usage);
    return 0;
  }
  const progress = progressPrinter();
  const database = await openFor(requirements.where, progress);
  let kept: 'keep-logs' | 'remove' = 'keep-logs';
  try {
    const result = await runStressTest({ ...requirements, url: database.url, progress });
    if (process.stderr.isTTY) process.stderr.write('\r\u001b[K');
    console.log(`${resultTable(result)}\nseed ${requirements.seed}`);
    kept = 'remove';
    return result.findings.length === 0 ? 0 : 1;
  } finally {
    await database.close(kept);
  }
}

function exitCodeFor(error: unknown): number {
  if (error instanceof UsageError) return 64;
  return error instanceof MissingReferenceError ? 2 : 1;
}

try {
  process.exitCode = await main(process.argv.slice(2));
} catch (error) {
  console.error(error instanceof UsageError ? `error: ${error.message}\n\n${usage}` : explain(error));
  process.exitCode = exitCodeFor(error);
}
