/** The parsed options of `muster sim`. */
import { readFile } from 'node:fs/promises';
import { parsePlanFile, type PlanFile } from '../simulator/faults/fault-plan.ts';
import type { Mode } from '../simulator/engine/jobs.ts';
import type { Scenario } from '../simulator/engine/scenario.ts';
import { scenarioNamed, type HuntTask, type ShareTask } from '../simulator/engine/tasks.ts';

export interface SimOptions {
  readonly scenario?: string;
  readonly mode?: Mode;
  readonly seeds?: number;
  readonly from?: number;
  readonly seed?: number;
  readonly hours?: number;
  readonly bug?: string;
  readonly hunt?: true;
  readonly twice?: true;
  readonly everything?: true;
  readonly replay?: string;
  readonly story?: string;
  readonly workers?: number;
  readonly keep: string;
  readonly json?: true;
}

export type Order = { readonly title: string } & (
  | { readonly shares: readonly ShareTask[] }
  | { readonly hunts: readonly HuntTask[] }
  | { readonly scenario: Scenario; readonly plan: PlanFile }
);

const huntSeedsMax = 100;

export async function orderOf(options: SimOptions, workers: number): Promise<Order> {
  const { replay, hunt } = options;
  if (replay !== undefined) return replayOrder(options, replay);
  const scenario = scenarioNamed(options.scenario ?? 'counter');
  return hunt === true ? huntOrder(options, scenario) : shareOrder(options, { scenario, workers });
}

interface Dealt {
  readonly scenario: Scenario;
  readonly workers: number;
}

function shareOrder(options: SimOptions, { scenario, workers }: Dealt): Order {
  const { bug, hours, mode = 'swarm', twice } = options;
  const { name, says } = scenario;
  checkBug(scenario, bug);
  const { from, count } = seedsOf(options);
  const doubleEvery = twice === true ? 1 : undefined;
  const mistake = bug === undefined ? '' : `, with the mistake ${bug}`;
  const of = Math.min(workers, count ?? workers);
  return {
    title: `${name}: ${says}; ${mode}, from seed ${from}${mistake}`,
    shares: Array.from({ length: of }, (_, index) => ({
      kind: 'share',
      scenario: name,
      mode,
      count,
      from,
      hours,
      bug,
      doubleEvery,
      part: { index, of },
    })),
  };
}

function huntOrder(options: SimOptions, { name, bugs }: Scenario): Order {
  refuseBeside(options, 'hunt', ['mode', 'from', 'seed', 'bug', 'twice', 'everything']);
  const names = Object.keys(bugs);
  if (names.length === 0) throw new Error(`${name} has no mistakes that could be planted`);
  const { seeds: seedsMax = huntSeedsMax, hours } = options;
  return {
    title: `${name}: looks for each of ${names.length} mistakes`,
    hunts: names.map((bug) => ({ kind: 'hunt', scenario: name, bug, seedsMax, hours })),
  };
}

async function replayOrder(options: SimOptions, file: string): Promise<Order> {
  refuseBeside(options, 'replay', [
    'scenario',
    'mode',
    'seeds',
    'from',
    'seed',
    'hours',
    'bug',
    'hunt',
    'twice',
  ]);
  const plan = await readPlan(file);
  const scenario = scenarioNamed(plan.scenario);
  checkBug(scenario, plan.bug);
  return {
    title: `${scenario.name}: the plan in ${file}, ${plan.faults.length} faults`,
    scenario,
    plan,
  };
}

function refuseBeside(
  options: SimOptions,
  main: 'replay' | 'hunt',
  others: readonly (keyof SimOptions)[],
): void {
  const given = others.filter((name) => options[name] !== undefined);
  const why = main === 'replay' ? 'takes everything from its file' : 'goes through modes and seeds by itself';
  if (given.length > 0) throw new Error(`--${main} ${why}; leave out --${given.join(', --')}`);
}

/** One seed is one run, unless the mode makes many plans from a single seed. */
function seedsOf({ seed, seeds, from, mode }: SimOptions): {
  readonly from: number;
  readonly count: number | undefined;
} {
  if (seed === undefined) return { from: from ?? 1, count: seeds };
  if (seeds !== undefined || from !== undefined)
    throw new Error('--seed is one seed alone; leave out --seeds and --from, or use them instead');
  return { from: seed, count: mode === 'crash-points' || mode === 'stale-view' ? undefined : 1 };
}

async function readPlan(file: string): Promise<PlanFile> {
  try {
    return parsePlanFile(await readFile(file, 'utf8'));
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error);
    throw new Error(`the plan in ${file} cannot be used: ${why}`, { cause: error });
  }
}

function checkBug({ name, bugs }: Scenario, bug: string | undefined): void {
  if (bug === undefined || Object.hasOwn(bugs, bug)) return;
  const known = Object.entries(bugs).map(([each, says]) => `${each} (${says})`);
  throw new Error(`${name} has no mistake ${bug}; it has: ${known.join(', ') || 'none'}`);
}
