/** `npm run fuzz:api`: random sequences of requests, on the embedded API and on the real kube-apiserver. */
import { parseArgs } from 'node:util';
import { HttpsTarget } from '../../lab/contracts/kubernetes-api/https-target.ts';
import { startKubeFrom } from '../reference/bring-up.ts';
import { explain, MissingReferenceError } from '../reference/reference-error.ts';
import { programsOf } from '../reference/programs.ts';
import { Workplace } from '../reference/launch/workplace.ts';
import { modeIn } from '../reference/mode.ts';
import { progressPrinter } from '../reference/progress.ts';
import { makeReady, type Workshop } from '../reference/ready.ts';
import { replayCommand, report } from './report.ts';
import { search, type Result } from './search.ts';
import { installKinds } from './sides.ts';

const usage = `usage: npm run fuzz:api -- [--runs N] [--seed N] [--path P] [--at-once N] [--json]

Plays random sequences of requests on the embedded API and on the real kube-apiserver and compares all they say.
The first sequence with a difference is made as short as possible and printed.

--runs N      how many sequences (default 2000)
--seed N      which sequences: the same number gives the same ones (default: chosen, and printed)
--path P      only the sequence that an earlier run named; needs --seed
--at-once N   how many sequences run side by side (default 8)
--json        the result as JSON on stdout
Exit status: 0 no difference, 1 a difference, 2 no real server available, 64 wrong usage`;

class UsageError extends Error {}

interface Requirements {
  readonly runs: number;
  readonly seed: number;
  readonly path: string | undefined;
  readonly atOnce: number;
  readonly json: boolean;
}

function parseRequirements(args: readonly string[]): Requirements | 'help' {
  const { values } = parseStrictly(args);
  if (values.help === true) return 'help';
  const { path } = values;
  if (path !== undefined && !/^\d+(:\d+)*$/.test(path))
    throw new UsageError(`--path is ${JSON.stringify(path)}, but a path is numbers with colons between them`);
  if (path !== undefined && values.seed === undefined)
    throw new UsageError('--path needs the --seed it belongs to');
  return {
    runs: numberIn('--runs', values.runs ?? '2000', 1),
    seed: values.seed === undefined ? Date.now() % 1_000_000_000 : numberIn('--seed', values.seed, 0),
    path,
    atOnce: numberIn('--at-once', values['at-once'] ?? '8', 1),
    json: values.json === true,
  };
}

const numberMax = 2 ** 31 - 1;

function numberIn(flag: string, text: string, least: number): number {
  const value = /^\d+$/.test(text) ? Number(text) : Number.NaN;
  if (value >= least && value <= numberMax) return value;
  throw new UsageError(
    `${flag} is ${JSON.stringify(text)}, but it takes a whole number from ${least} to ${numberMax}`,
  );
}

function parseStrictly(args: readonly string[]) {
  const text = { type: 'string' } as const;
  const flag = { type: 'boolean' } as const;
  const options = {
    runs: text,
    seed: text,
    path: text,
    'at-once': text,
    json: flag,
    help: { ...flag, short: 'h' },
  } as const;
  try {
    return parseArgs({ args: [...args], options });
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
  const startedAt = performance.now();
  const result = await evaluated(requirements, progress);
  const reported = { seed: requirements.seed, seconds: (performance.now() - startedAt) / 1000 };
  if (process.stderr.isTTY) process.stderr.write('\r\u001b[K');
  const { finding } = result;
  const replay = finding && { replay: replayCommand(finding.path, requirements.seed) };
  if (requirements.json) console.log(JSON.stringify({ ...reported, ...result, ...replay }, null, 2));
  else
    console.log(`${report(result, reported)}${finding === undefined ? ` (seed ${requirements.seed})` : ''}`);
  return finding === undefined ? 0 : 1;
}

async function evaluated(requirements: Requirements, progress: (line: string) => void): Promise<Result> {
  if (modeIn(process.env) === 'off')
    throw new MissingReferenceError('MUSTER_REAL=off forbids every reference program', 'unset it');
  const workshop: Workshop = { env: process.env, progress };
  const ready = await Promise.all(programsOf('kube').map((evaluate) => makeReady(evaluate, workshop)));
  const workplace = await Workplace.open('fuzz');
  let kept: 'keep-logs' | 'remove' = 'keep-logs';
  try {
    const kube = await startKubeFrom(new Map(ready.map((found) => [found.program.name, found])), {
      workplace,
    });
    const pair = await kube.authority.client('contract', ['system:masters']);
    const real = new HttpsTarget({
      name: 'kube-apiserver',
      url: kube.url,
      ca: kube.authority.certificate,
      ...pair,
    });
    await installKinds(real);
    const { path, ...rest } = requirements;
    const result = await search({ ...rest, ...(path !== undefined && { path }), real, progress });
    await real.close();
    kept = 'remove';
    return result;
  } finally {
    await workplace.close(kept);
    if (kept === 'keep-logs') console.error(`logs of the real server: ${workplace.dir}`);
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
