/**
 * The faults of a run as data: at an effect, or at a time. A plan includes the seed, because the rest of the run
 * (delays, the order within an instant, the draws of processes) comes from the seed.
 */
import { z } from 'zod';
import type { Effect } from '../engine/call.ts';
import type { EffectFaults } from '../engine/calls.ts';
import { effectFaultSchema, type EffectFault } from './effect-fault.ts';
import { faultText, timedFaultSchema } from './timed-fault.ts';

/** More virtual time than any run needs. */
export const hoursMax = 100_000;

const effectEntry = z.strictObject({
  /** The name of the effect, such as `worker-a/kube/update configmaps#3`. */
  on: z.string().min(1),
  fault: effectFaultSchema,
});
const timedEntry = z.strictObject({
  /** Since the start of the run. */
  atMs: z.int().nonnegative(),
  fault: timedFaultSchema,
});

export type EffectEntry = z.infer<typeof effectEntry>;
export type TimedEntry = z.infer<typeof timedEntry>;
export type PlanEntry = EffectEntry | TimedEntry;

const planFileSchema = z.strictObject({
  scenario: z.string().min(1),
  seed: z.int().nonnegative(),
  hours: z.number().positive().max(hoursMax),
  /** A deliberately planted mistake. */
  bug: z.string().min(1).optional(),
  /** The fault that stays when all others are healed. */
  core: z.string().min(1).optional(),
  faults: z.array(z.union([effectEntry, timedEntry])),
});
export type PlanFile = z.infer<typeof planFileSchema>;

/** Throws an error that names what is wrong with the plan. */
export function parsePlanFile(text: string): PlanFile {
  const parsed = planFileSchema.safeParse(parseJson(text));
  if (parsed.success) return parsed.data;
  throw new Error(z.prettifyError(parsed.error).replaceAll(/\s*\n\s*/g, ' '));
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (error) {
    if (error instanceof SyntaxError) throw new Error(`it is not JSON: ${error.message}`, { cause: error });
    throw error;
  }
}

/** A source of the faults of a run. */
export interface FaultSource extends EffectFaults {
  /** In order of time. */
  readonly timed: readonly TimedEntry[];
  /** The kinds that this source may inject: over many runs, each kind must occur. */
  readonly kinds?: readonly string[];
}

export const noFaults: FaultSource = { timed: [], decide: () => [] };

/** Injects exactly these faults. */
export function plannedFaults(entries: readonly PlanEntry[]): FaultSource {
  const byEffect = new Map<string, EffectFault[]>();
  for (const entry of entries) {
    if (!('on' in entry)) continue;
    byEffect.set(entry.on, [...(byEffect.get(entry.on) ?? []), entry.fault]);
  }
  return {
    timed: entries.filter((entry) => 'atMs' in entry),
    decide: (effect: Effect) => byEffect.get(effect.id) ?? [],
  };
}

export function entryText(entry: PlanEntry): string {
  const fault = faultText(entry.fault);
  return 'on' in entry ? `on ${entry.on}: ${fault}` : `at ${entry.atMs} ms: ${fault}`;
}
