/** The runs of a mode: each with its seed, its faults and its requirements. */
import { crashPointsOf, staleViewsOf, type SentEffect } from '../faults/crash-points.ts';
import { entryText, plannedFaults, type PlanEntry, type PlanFile } from '../faults/fault-plan.ts';
import type { RunResult, RunSettings } from './run.ts';
import type { Scenario } from './scenario.ts';
import { parseScript } from '../faults/script.ts';
import { swarmFaults } from '../faults/swarm.ts';
import type { OnSent } from '../world/world.ts';

export const modes = ['swarm', 'crash-points', 'stale-view', 'liveness', 'soak', 'scripted'] as const;
export type Mode = (typeof modes)[number];

export interface Job extends Pick<RunSettings, 'seed' | 'hours' | 'faults' | 'core' | 'mustNotGrow'> {
  readonly label: string;
  /** Prints every line of the transcript: used for a script. */
  readonly wantsTranscript?: boolean;
}

export interface JobsOptions {
  readonly scenario: Scenario;
  readonly mode: Mode;
  /** The number of runs; undefined for all runs of the mode. */
  readonly count: number | undefined;
  readonly from: number;
  readonly hours: number | undefined;
}

/** Makes a run without faults, and reports each effect. */
export type Rehearse = (run: Pick<RunSettings, 'seed' | 'hours'>, sent?: OnSent) => Promise<RunResult>;

const defaultSeeds = 100;
const hourMs = 3_600_000;
const soakHours = 720;
const soakStrength = 0.2;
const scriptHours = 0.5;

export async function jobsOf(options: JobsOptions, rehearse: Rehearse): Promise<readonly Job[]> {
  const { mode, count } = options;
  switch (mode) {
    case 'swarm':
      return seedsOf(options, count ?? defaultSeeds).map((seed) => swarmJob(options, seed));
    case 'liveness':
      return livenessJobs(options, rehearse);
    case 'soak':
      return seedsOf(options, count ?? 1).map((seed) => ({
        ...swarmJob({ ...options, hours: options.hours ?? soakHours }, seed, soakStrength),
        mustNotGrow: true,
      }));
    case 'scripted':
      return Object.entries(options.scenario.scripts).map(([name, script]) => ({
        ...plannedJob(options, parseScript(script), name),
        hours: options.hours ?? scriptHours,
        wantsTranscript: true,
      }));
    case 'crash-points':
    case 'stale-view': {
      const sent = await effectsOf(options, rehearse);
      const plans = mode === 'crash-points' ? crashPointsOf(sent) : staleViewsOf(sent);
      return plans
        .slice(0, count)
        .map((plan) => plannedJob(options, plan, plan.map(entryText).join(' and ')));
    }
  }
}

/** Returns the effects that a run without faults sends, up to the time when faults stop. */
async function effectsOf(options: JobsOptions, rehearse: Rehearse): Promise<readonly SentEffect[]> {
  const { from: seed } = options;
  const hours = systematicHours(options);
  const sent: SentEffect[] = [];
  await rehearse({ seed, hours }, (effect, atMs) => {
    if (atMs < hours * hourMs) sent.push({ effect, atMs });
  });
  return sent;
}

/** Returns the run of a stored plan. */
export function replayJob(plan: PlanFile): Job {
  const { seed, hours, core, faults } = plan;
  return { label: `seed ${seed}`, seed, hours, core, faults: () => plannedFaults(faults) };
}

function seedsOf({ from }: JobsOptions, count: number): readonly number[] {
  return Array.from({ length: count }, (_, index) => from + index);
}

/** Each of very many plans is a whole run, so each run is kept short. */
function systematicHours({ hours, scenario }: JobsOptions): number {
  return hours ?? Math.min(1, scenario.hours);
}

function hoursOf({ hours, scenario }: JobsOptions): number {
  return hours ?? scenario.hours;
}

function swarmJob(options: JobsOptions, seed: number, strength = 1): Job {
  const hours = hoursOf(options);
  return {
    label: `seed ${seed}`,
    seed,
    hours,
    faults: ({ streams }, targets) => swarmFaults({ streams, targets, forMs: hours * hourMs, strength }),
  };
}

async function livenessJobs(options: JobsOptions, rehearse: Rehearse): Promise<readonly Job[]> {
  const { cores } = await rehearse({ seed: options.from, hours: hoursOf(options) });
  if (cores.length === 0) throw new Error(`${options.scenario.name} names nothing that may stay broken`);
  return seedsOf(options, options.count ?? defaultSeeds).map((seed) => ({
    ...swarmJob(options, seed),
    core: cores[seed % cores.length],
  }));
}

function plannedJob(options: JobsOptions, entries: readonly PlanEntry[], label: string): Job {
  return {
    label,
    seed: options.from,
    hours: systematicHours(options),
    faults: () => plannedFaults(entries),
  };
}
