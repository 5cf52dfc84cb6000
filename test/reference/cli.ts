/** `npm run references`: lists the reference programs, prepares groups of them, starts them once, fills a mirror. */
import { parseArgs } from 'node:util';
import { bringUp, groupsNeeded } from './bring-up.ts';
import { cacheRoot } from './cache.ts';
import { explain } from './reference-error.ts';
import { groupNames, programs, programsOf, type GroupName } from './programs.ts';
import { progressPrinter } from './progress.ts';
import { isFound, look, makeReady, type Found, type Looked, type Workshop } from './ready.ts';
import { exportEntry } from './sources/mirror.ts';

const usage = `usage: npm run references -- [GROUP ...] [--json] [--export DIR]

Without a group: lists every program with its version and its source, or why it is missing.
With groups:     prepares them (fetch, build or install), starts them once, and stops them.
Groups:          ${groupNames.join(', ')}, or all
--json           prints the list, or the prepared programs, as JSON on stdout
--export DIR     writes the built programs of the groups as archives; a web server over DIR is a mirror
                 for MUSTER_REAL_MIRROR
Environment:     KUBEBUILDER_ASSETS, MUSTER_REAL_MIRROR, MUSTER_CACHE (see test/reference/README.md)`;

class UsageError extends Error {}

interface Requirements {
  readonly groups: readonly GroupName[];
  readonly json: boolean;
  readonly exportTo: string | undefined;
}

function parseRequirements(args: readonly string[]): Requirements | 'help' {
  const parsed = parseStrictly(args);
  if (parsed.values.help === true) return 'help';
  const unknown = parsed.positionals.find((word) => word !== 'all' && !isGroup(word));
  if (unknown !== undefined) throw new UsageError(`no group of reference programs is called ${unknown}`);
  const words = new Set(parsed.positionals);
  const groups = groupNames.filter((group) => words.has('all') || words.has(group));
  if (parsed.values.export !== undefined && groups.length === 0)
    throw new UsageError('--export needs at least one group, or all');
  return { groups, json: parsed.values.json === true, exportTo: parsed.values.export };
}

function parseStrictly(args: readonly string[]) {
  const options = {
    help: { type: 'boolean', short: 'h' },
    json: { type: 'boolean' },
    export: { type: 'string' },
  } as const;
  try {
    return parseArgs({ args: [...args], options, allowPositionals: true });
  } catch (error) {
    throw new UsageError(error instanceof Error ? error.message : String(error), { cause: error });
  }
}

function isGroup(word: string): boolean {
  return groupNames.some((group) => group === word);
}

async function list(workshop: Workshop, json: boolean): Promise<void> {
  const looked = await Promise.all(programs.map((program) => look(program, workshop)));
  const rows = looked.map((one) => row(one));
  if (json) console.log(JSON.stringify(rows, null, 2));
  else
    for (const { group, name, version, where } of rows)
      console.log([group.padEnd(9), name.padEnd(24), version.padEnd(15), where].join(' '));
}

function row(looked: Looked): {
  group: GroupName;
  name: string;
  ready: boolean;
  version: string;
  where: string;
} {
  const { group, name, version } = looked.program;
  if (!isFound(looked))
    return { group, name, ready: false, version, where: `missing: ${looked.why}; ${looked.next}` };
  return { group, name, ready: true, version: looked.version, where: `${looked.source}: ${looked.path}` };
}

async function prepare(groups: readonly GroupName[], workshop: Workshop): Promise<Map<string, Found>> {
  const bench = new Map<string, Found>();
  for (const program of groups.flatMap((group) => programsOf(group))) {
    const ready = await makeReady(program, workshop);
    bench.set(program.name, ready);
    report(program.name, `${ready.version.padEnd(15)} ${ready.source}: ${ready.path}`);
  }
  return bench;
}

/** Progress for a person; scripts read stdout. */
function report(name: string, what: string): void {
  console.error(`${name.padEnd(24)} ${what}`);
}

async function main(args: readonly string[]): Promise<number> {
  const requirements = parseRequirements(args);
  if (requirements === 'help') {
    console.log(usage);
    return 0;
  }
  const workshop: Workshop = { env: process.env, progress: progressPrinter() };
  if (requirements.groups.length === 0) {
    await list(workshop, requirements.json);
    return 0;
  }
  const needed = groupNames.filter((name) =>
    requirements.groups.some((group) => groupsNeeded[group].includes(name)),
  );
  const bench = await prepare(needed, workshop);
  await bringUp(new Set(requirements.groups), bench, report);
  report('all', 'stopped');
  if (requirements.exportTo !== undefined) await exportAll(bench, requirements.exportTo);
  if (requirements.json) console.log(JSON.stringify([...bench.values()].map(row), null, 2));
  return 0;
}

async function exportAll(bench: ReadonlyMap<string, Found>, folder: string): Promise<void> {
  const root = cacheRoot(process.env);
  for (const found of bench.values()) {
    const where =
      found.entry === undefined
        ? `not exported: it does not come from ${root}`
        : await exportEntry(found.entry, folder);
    report(found.program.name, where);
  }
}

try {
  process.exitCode = await main(process.argv.slice(2));
} catch (error) {
  console.error(error instanceof UsageError ? `error: ${error.message}\n\n${usage}` : explain(error));
  process.exitCode = error instanceof UsageError ? 64 : 1;
}
