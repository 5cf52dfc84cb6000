/** `muster sim`: runs a scenario in the simulator, many times and with faults, and prints what failed. */
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { Command, InvalidArgumentError, Option } from 'commander';
import type { Mode } from '../simulator/engine/jobs.ts';
import type { Done, Failure, Summary } from '../simulator/engine/sim-runner.ts';
import type { HuntTask, ShareTask } from '../simulator/engine/tasks.ts';
import { parseCount, parseSeed } from '../../src/cli/number-options.ts';
import type { LabPorts } from './lab-ports.ts';
import { parseFolder } from '../../src/cli/server-options.ts';
import type { Order, SimOptions } from './sim-options.ts';
import { simGitHubCommand } from './sim-github.ts';
import { simNodesCommand } from './sim-nodes.ts';
import { simScalewayCommand } from './sim-scaleway.ts';

type Planned = Extract<Order, { plan: unknown }>;

/** A copy: printing the help must not load the simulator. */
const modes: readonly Mode[] = ['swarm', 'crash-points', 'stale-view', 'liveness', 'soak', 'scripted'];
const hoursMax = 100_000;

export function simCommand(ports: LabPorts): Command {
  return (
    new Command('sim')
      .description('run a scenario under faults on virtual time, from seeds that can be run again')
      .option('--scenario <name>', 'what to run; an unknown name lists them all (default: counter)')
      .addOption(new Option('--mode <mode>', 'how faults are chosen (default: swarm)').choices(modes))
      .option('--seeds <count>', 'how many seeds, or how many plans of a systematic mode', parseCount)
      .option('--from <seed>', 'the first seed (default: 1)', parseSeed)
      .option('--seed <seed>', 'only this seed', parseSeed)
      .option('--hours <hours>', 'how long faults happen, in virtual hours', parseHours)
      .option('--bug <name>', 'plant a mistake that must be found; an unknown name lists them all')
      .option('--hunt', 'look for every mistake that can be planted, by one mode after another')
      .option('--twice', 'run each seed twice and compare, instead of one in fifty')
      .option('--everything', 'fail unless every kind of fault and every premise happened')
      .option('--workers <count>', 'how many runs at once (default: one for each core)', parseCount)
      .option('--story <name>', 'run this story of scenarios/; an unknown name lists them all')
      .option('--replay <file>', 'run the plan in this file, and nothing else')
      .option('--keep <folder>', 'where to store plans that violate an invariant', parseFolder, '.muster/sim')
      .option('--json', 'print the result as JSON')
      // Options after the nested command belong to that command.
      .enablePositionalOptions()
      .addCommand(simGitHubCommand(ports))
      .addCommand(simNodesCommand(ports))
      .addCommand(simScalewayCommand(ports))
      .action((options: SimOptions) => run(options, ports))
  );
}

function parseHours(text: string): number {
  const hours = Number(text);
  if (!/^\d+(\.\d+)?$/.test(text) || hours <= 0 || hours > hoursMax)
    throw new InvalidArgumentError(`It must be a number above 0 and at most ${hoursMax}.`);
  return hours;
}

async function run(options: SimOptions, ports: LabPorts): Promise<void> {
  if (options.story !== undefined) return report(options.story, options, ports);
  // Loaded on use only: the help and the other commands do not need it.
  const [{ orderOf }, { progressOf }] = await Promise.all([
    import('./sim-options.ts'),
    import('./sim-report.ts'),
  ]);
  const workers = ports.threads === undefined ? 1 : (options.workers ?? ports.threads.count);
  const order = await orderOf(options, workers);
  const say = options.json === true ? () => undefined : ports.terminal.err;
  say(`${order.title}\n`);
  const context: StoryContext = {
    options,
    ports,
    workers,
    say,
    progress: progressOf(ports.clock, say, { isHunt: 'hunts' in order }),
  };
  if ('hunts' in order) return runHunts(order.hunts, context);
  const { clock, terminal } = ports;
  const began = clock.now();
  const { summary, isStopped } =
    'shares' in order ? await runShares(order.shares, context) : await runPlan(order, context);
  const kept = await keepPlans(summary, options.keep);
  const ended = { summary, kept, seconds: (clock.now() - began) / 1000, isStopped };
  const { complaintAbout, summaryJson, summaryText } = await import('./sim-report.ts');
  terminal.out(options.json === true ? summaryJson(ended) : summaryText(ended));
  const complaint = complaintAbout(summary, { wantsEverything: options.everything === true });
  if (complaint !== undefined) throw new Error(complaint);
}

/** A story contains its seed, its times and its faults. */
async function report(name: string, options: SimOptions, ports: LabPorts): Promise<void> {
  const given = Object.keys(options).filter((option) => !['story', 'scenario', 'keep'].includes(option));
  if (given.length > 0) throw new Error(`--story has all it needs; leave out --${given.join(', --')}`);
  // The story itself decides which of the two scenarios it uses.
  const { scenario = 'hosts' } = options;
  if (!['hosts', 'runners'].includes(scenario))
    throw new Error(`${scenario} has no stories; those there are happen in hosts and in runners`);
  const { runStory } = await import('./sim-story.ts');
  return runStory(name, ports);
}

interface StoryContext {
  readonly options: SimOptions;
  readonly ports: LabPorts;
  readonly workers: number;
  readonly say: (text: string) => void;
  readonly progress: (done: Done) => void;
}

interface Outcome {
  readonly summary: Summary;
  readonly isStopped: boolean;
}

async function runShares(shares: readonly ShareTask[], context: StoryContext): Promise<Outcome> {
  const [{ merged }, { runTasks }] = await Promise.all([
    import('../simulator/engine/tasks.ts'),
    import('./sim-tasks.ts'),
  ]);
  const stop = stopOf(context.ports);
  const results = await runTasks(shares, { ...context, process: context.ports });
  const summaries = results.flatMap((result) => ('summary' in result ? [result.summary] : []));
  return { summary: merged(summaries), isStopped: stop.isStopped };
}

async function runPlan({ scenario, plan }: Planned, { ports, progress }: StoryContext): Promise<Outcome> {
  const [{ Runner }, { replayJob }, { runnerPortsOf }] = await Promise.all([
    import('../simulator/engine/sim-runner.ts'),
    import('../simulator/engine/jobs.ts'),
    import('./sim-tasks.ts'),
  ]);
  const stop = stopOf(ports);
  const runner = new Runner(
    { scenario, bug: plan.bug },
    { ...runnerPortsOf(ports), progress, isStopped: () => stop.isStopped },
  );
  const summary = await runner.run([replayJob(plan)]);
  const missing = plan.faults.length - summary.faults;
  if (missing > 0 && summary.failures.length === 0)
    ports.terminal.err(
      `${missing} of its ${plan.faults.length} faults did not happen: no effect, process or link was called so\n`,
    );
  return { summary, isStopped: stop.isStopped };
}

/** Prints each mistake when found, then all of them in a table. */
async function runHunts(hunts: readonly HuntTask[], context: StoryContext): Promise<void> {
  const { options, ports } = context;
  const [{ huntJson, huntText, timedHunts }, { runTasks }] = await Promise.all([
    import('./sim-hunt-report.ts'),
    import('./sim-tasks.ts'),
  ]);
  const timed = timedHunts(hunts, ports.clock, context.say);
  await runTasks(hunts, { ...context, process: ports, finished: timed.finished });
  const rows = timed.rows();
  ports.terminal.out(options.json === true ? huntJson(rows) : huntText(rows));
  const missed = rows.filter(({ hunted }) => hunted?.found === undefined);
  if (missed.length > 0) throw new Error(`${missed.length} of ${rows.length} mistakes were not found`);
}

function stopOf({ stopped }: LabPorts): { readonly isStopped: boolean } {
  const state = { isStopped: false };
  void stopped.then(() => (state.isStopped = true));
  return state;
}

/** Writes each shrunk plan to its own file, named after its violation. */
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
