/**
 * Work for a thread, as data, and its result: a share of the runs of a mode, or the hunt for one mistake. The split
 * into shares changes neither the runs nor the findings.
 */
import { jobsOf, type Mode } from './jobs.ts';
import type { Failure, RunnerOptions, RunnerPorts, Summary } from './sim-runner.ts';
import { Runner } from './sim-runner.ts';
import type { Scenario } from './scenario.ts';
import { scenarios } from '../workloads/all.ts';

export interface ShareTask {
  readonly kind: 'share';
  readonly scenario: string;
  readonly mode: Mode;
  readonly count: number | undefined;
  readonly from: number;
  readonly hours: number | undefined;
  readonly bug: string | undefined;
  readonly doubleEvery: number | undefined;
  /** Which jobs: those with this index, when the jobs are split into so many shares. */
  readonly part: { readonly index: number; readonly of: number };
}

/** Hunts for a planted mistake with each mode, one mode after another, until a mode finds the mistake. */
export interface HuntTask {
  readonly kind: 'hunt';
  readonly scenario: string;
  readonly bug: string;
  readonly seedsMax: number;
  readonly hours: number | undefined;
}

export type Task = ShareTask | HuntTask;

export type TaskResult = { readonly summary: Summary } | { readonly hunted: Hunted };

export async function doTask(task: Task, ports: RunnerPorts): Promise<TaskResult> {
  return task.kind === 'share'
    ? { summary: await runShare(task, ports) }
    : { hunted: await hunt(task, ports) };
}

export interface Hunted {
  readonly bug: string;
  readonly runs: number;
  readonly events: number;
  /** Undefined when no run failed. */
  readonly found: { readonly mode: Mode; readonly failure: Failure } | undefined;
}

/** From the modes with the fewest faults per plan to those with the most. */
const huntModes: readonly Mode[] = ['crash-points', 'stale-view', 'swarm'];

export function scenarioNamed(name: string): Scenario {
  const found = scenarios.find((scenario) => scenario.name === name);
  if (found !== undefined) return found;
  const names = scenarios.map((each) => each.name).join(', ');
  throw new Error(`there is no scenario ${name}; there are: ${names}`);
}

async function runShare(task: ShareTask, ports: RunnerPorts): Promise<Summary> {
  const { index, of } = task.part;
  return runMode({ ...task, scenario: scenarioNamed(task.scenario) }, ports, (nth) => nth % of === index);
}

async function hunt(task: HuntTask, ports: RunnerPorts): Promise<Hunted> {
  const { bug, hours, seedsMax } = task;
  const scenario = scenarioNamed(task.scenario);
  const spent = { runs: 0, events: 0 };
  for (const mode of huntModes) {
    const count = mode === 'swarm' ? seedsMax : undefined;
    const own = { scenario, bug, mode, count, from: 1, hours: mode === 'swarm' ? hours : undefined };
    const { runs, events, failures } = await runMode({ ...own, failuresMax: 1 }, ports, () => true);
    spent.runs += runs;
    spent.events += events;
    const [failure] = failures;
    if (failure !== undefined) return { bug, ...spent, found: { mode, failure } };
    if (ports.isStopped()) break;
  }
  return { bug, ...spent, found: undefined };
}

type ModeOptions = RunnerOptions & Parameters<typeof jobsOf>[0];

async function runMode(
  options: ModeOptions,
  ports: RunnerPorts,
  isMine: (nth: number) => boolean,
): Promise<Summary> {
  const runner = new Runner(options, ports);
  const jobs = jobsOf(options, (what, sent) => runner.rehearse(what, sent));
  return runner.run(jobs.then((all) => all.filter((_, nth) => isMine(nth))));
}

/** Merges summaries as if one thread had made all runs: of failures of one kind, the smallest plan is kept. */
export function merged([first, ...others]: readonly Summary[]): Summary {
  if (first === undefined) throw new Error('there is at least one');
  return others.reduce((all, one) => both(all, one), first);
}

function both(a: Summary, b: Summary): Summary {
  const rows = [...new Set([...Object.keys(a.reachability), ...Object.keys(b.reachability)])].toSorted();
  return {
    scenario: a.scenario,
    runs: a.runs + b.runs,
    events: a.events + b.events,
    virtualHours: a.virtualHours + b.virtualHours,
    doubled: a.doubled + b.doubled,
    faults: a.faults + b.faults,
    failures: smallestKept([...a.failures, ...b.failures]),
    reachability: Object.fromEntries(
      rows.map((row) => [row, (a.reachability[row] ?? 0) + (b.reachability[row] ?? 0)]),
    ),
    transcripts: { ...a.transcripts, ...b.transcripts },
  };
}

function smallestKept(failures: readonly Failure[]): readonly Failure[] {
  const smallest = new Map<string, Failure>();
  for (const failure of failures) {
    const { id } = failure.violation;
    if (sizeOf(failure) < sizeOf(smallest.get(id))) smallest.set(id, failure);
  }
  return failures
    .map((failure) =>
      smallest.get(failure.violation.id) === failure ? failure : { ...failure, shrunk: undefined },
    )
    .toSorted((a, b) => a.seed - b.seed);
}

function sizeOf(failure: Failure | undefined): number {
  return failure?.shrunk?.faults.length ?? Infinity;
}
