/**
 * What goes wrong in a run, as data: to this effect, or at this time. A plan names the seed too, because the rest of the
 * run (delays, the order within an instant, what the processes draw) comes from it.
 */
import { z } from 'zod';
import type { Effect } from '../engine/call.ts';
import type { EffectFaults } from '../engine/calls.ts';
import { effectFaultSchema, type EffectFault } from './effect-fault.ts';
import { faultText, timedFaultSchema } from './timed-fault.ts';

/** More virtual time than anybody waits for. */
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
  /** A mistake that was planted on purpose. */
  bug: z.string().min(1).optional(),
  /** What stays broken when all else is healed. */
  core: z.string().min(1).optional(),
  faults: z.array(z.union([effectEntry, timedEntry])),
});
export type PlanFile = z.infer<typeof planFileSchema>;

/** Throws an error that says what is wrong with it. */
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

/** Where the faults of a run come from. */
export interface FaultSource extends EffectFaults {
  /** In the order in which they happen. */
  readonly timed: readonly TimedEntry[];
  /** Which kinds it may make: in many runs, each of them ought to happen. */
  readonly kinds?: readonly string[];
}

export const noFaults: FaultSource = { timed: [], decide: () => [] };

/** Exactly these, and no others. */
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
