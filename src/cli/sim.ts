/** `muster sim`: runs a scenario in the simulator, many times and with faults, and shows what broke. */
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { Command, InvalidArgumentError, Option } from 'commander';
import type { PlanFile } from '../sim/fault-plan.ts';
import type { Job, Mode } from '../sim/jobs.ts';
import type { Failure, Runner, Summary } from '../sim/runner.ts';
import type { Scenario } from '../sim/scenario.ts';
import { parseCount, parseSeed } from './number-options.ts';
import type { ProcessPorts } from './process-ports.ts';
import { parseFolder } from './server-options.ts';
import { simScalewayCommand } from './sim-scaleway.ts';

interface Options {
  readonly scenario?: string;
  readonly mode?: Mode;
  readonly seeds?: number;
  readonly from?: number;
  readonly seed?: number;
  readonly hours?: number;
  readonly bug?: string;
  readonly replay?: string;
  readonly keep: string;
  readonly json?: true;
}

/** What is to be run, once the options were understood. */
interface Order {
  readonly scenario: Scenario;
  readonly bug: string | undefined;
  readonly jobs: (runner: Runner) => Promise<readonly Job[]>;
  readonly title: string;
}

/** The command line must not load the simulator to print its help. */
const modes: readonly Mode[] = ['swarm', 'crash-points', 'stale-view', 'liveness', 'soak', 'scripted'];
const hoursMax = 100_000;

export function simCommand(ports: ProcessPorts): Command {
  return (
    new Command('sim')
      .description('run a scenario under faults on virtual time, from seeds that can be run again')
      .option('--scenario <name>', 'what to run; an unknown name lists them all (default: counter)')
      .addOption(new Option('--mode <mode>', 'how faults are chosen (default: swarm)').choices(modes))
      .option('--seeds <count>', 'how many seeds, or how many plans of a systematic mode', parseCount)
      .option('--from <seed>', 'the first seed (default: 1)', parseSeed)
      .option('--seed <seed>', 'only this seed', parseSeed)
      .option('--hours <hours>', 'how long things go wrong, in virtual hours', parseHours)
      .option('--bug <name>', 'plant a mistake that must be found; an unknown name lists them all')
      .option('--replay <file>', 'run the plan in this file, and nothing else')
      .option('--keep <folder>', 'where plans that break something are kept', parseFolder, '.muster/sim')
      .option('--json', 'print the result as JSON')
      // What stands behind the nested command is meant for that one.
      .enablePositionalOptions()
      .addCommand(simScalewayCommand(ports))
      .action((options: Options) => run(options, ports))
  );
}

function parseHours(text: string): number {
  const hours = Number(text);
  if (!/^\d+(\.\d+)?$/.test(text) || hours <= 0 || hours > hoursMax)
    throw new InvalidArgumentError(`It must be a number above 0 and at most ${hoursMax}.`);
  return hours;
}

async function run(options: Options, ports: ProcessPorts): Promise<void> {
  // Loaded only when it runs: the help and the other commands need none of it.
  const [{ Runner }, { progressOf, summaryJson, summaryText }] = await Promise.all([
    import('../sim/runner.ts'),
    import('./sim-report.ts'),
  ]);
  const order = await orderOf(options);
  const { terminal, clock, stopped } = ports;
  let isStopped = false;
  void stopped.then(() => (isStopped = true));
  const began = clock.now();
  const drain = (): Promise<void> => new Promise((resolve) => void clock.after(0, resolve));
  const say = options.json === true ? () => undefined : terminal.err;
  const progress = progressOf(clock, say);
  const runner = new Runner(order, { drain, progress, isStopped: () => isStopped });
  say(`${order.title}\n`);
  const summary = await runner.run(await order.jobs(runner));
  const kept = await keepPlans(summary, options.keep);
  const ended = { summary, kept, seconds: (clock.now() - began) / 1000, isStopped };
  terminal.out(options.json === true ? summaryJson(ended) : summaryText(ended));
  if (summary.failures.length > 0)
    throw new Error(`${summary.failures.length} of ${summary.runs} runs broke an invariant`);
}

async function orderOf(options: Options): Promise<Order> {
  const { replay, bug, hours, mode = 'swarm' } = options;
  if (replay !== undefined) return replayOrder(options, replay);
  const { jobsOf } = await import('../sim/jobs.ts');
  const scenario = await scenarioOf(options.scenario ?? 'counter');
  checkBug(scenario, bug);
  const { from, count } = seedsOf(options);
  const mistake = bug === undefined ? '' : `, with the mistake ${bug}`;
  return {
    scenario,
    bug,
    title: `${scenario.name}: ${scenario.says}; ${mode}, from seed ${from}${mistake}`,
    jobs: (runner) =>
      jobsOf({ scenario, mode, count, from, hours }, (what, sent) => runner.rehearse(what, sent)),
  };
}

/** One seed is one run, unless the mode makes many plans of a single seed. */
function seedsOf({ seed, seeds, from, mode }: Options): {
  readonly from: number;
  readonly count: number | undefined;
} {
  if (seed === undefined) return { from: from ?? 1, count: seeds };
  if (seeds !== undefined || from !== undefined)
    throw new Error('--seed is one seed alone; leave out --seeds and --from, or use them instead');
  return { from: seed, count: mode === 'crash-points' || mode === 'stale-view' ? undefined : 1 };
}

async function replayOrder(options: Options, file: string): Promise<Order> {
  const others = ['scenario', 'mode', 'seeds', 'from', 'seed', 'hours', 'bug'] as const;
  const given = others.filter((name) => options[name] !== undefined);
  if (given.length > 0)
    throw new Error(`--replay takes everything from its file; leave out --${given.join(', --')}`);
  const { replayJob } = await import('../sim/jobs.ts');
  const plan = await readPlan(file);
  const scenario = await scenarioOf(plan.scenario);
  checkBug(scenario, plan.bug);
  return {
    scenario,
    bug: plan.bug,
    title: `${scenario.name}: the plan in ${file}, ${plan.faults.length} faults`,
    jobs: async () => [replayJob(plan)],
  };
}

async function readPlan(file: string): Promise<PlanFile> {
  const { parsePlanFile } = await import('../sim/fault-plan.ts');
  try {
    return parsePlanFile(await readFile(file, 'utf8'));
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error);
    throw new Error(`the plan in ${file} cannot be used: ${why}`, { cause: error });
  }
}

async function scenarioOf(name: string): Promise<Scenario> {
  const { scenarios } = await import('../sim/scenarios/all.ts');
  const found = scenarios.find((scenario) => scenario.name === name);
  if (found !== undefined) return found;
  throw new Error(
    `there is no scenario ${name}; there are: ${scenarios.map((each) => each.name).join(', ')}`,
  );
}

function checkBug({ name, bugs }: Scenario, bug: string | undefined): void {
  if (bug === undefined || Object.hasOwn(bugs, bug)) return;
  const known = Object.entries(bugs).map(([each, says]) => `${each} (${says})`);
  throw new Error(`${name} has no mistake ${bug}; it has: ${known.join(', ') || 'none'}`);
}

/** Each shrunk plan in a file of its own, by what it breaks. */
async function keepPlans(summary: Summary, folder: string): Promise<ReadonlyMap<Failure, string>> {
  const kept = new Map<Failure, string>();
  for (const failure of summary.failures) {
    if (failure.shrunk === undefined) continue;
    await mkdir(folder, { recursive: true });
    const file = join(folder, `${summary.scenario}-${failure.violation.id}-${failure.seed}.json`);
    await writeFile(file, `${JSON.stringify(failure.shrunk, null, 2)}\n`);
    kept.set(failure, file);
  }
  return kept;
}
