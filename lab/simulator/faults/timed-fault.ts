/** Faults at a moment: of a process, a link, a service, or by people. */
import { z } from 'zod';

const wait = z.int().nonnegative();
const length = z.int().positive();
const name = z.string().min(1);
/** Without a duration, the fault lasts until everything is healed. */
const forMs = length.optional();

const timedFaults = [
  /** Without `restartMs` the process stays down. */
  z.strictObject({ kind: z.literal('crash'), process: name, restartMs: wait.optional() }),
  z.strictObject({ kind: z.literal('pause'), process: name, forMs }),
  z.strictObject({ kind: z.literal('stop'), process: name, graceMs: wait, restartMs: wait.optional() }),
  z.strictObject({ kind: z.literal('upgrade'), process: name, graceMs: wait }),
  z.strictObject({ kind: z.literal('clock-jump'), process: name, ms: z.int() }),
  z.strictObject({
    kind: z.literal('clog'),
    process: name,
    link: name,
    forMs,
    /** True: held messages arrive when the link heals; otherwise they are lost. */
    keeps: z.boolean().default(true),
  }),
  /** The service answers no request, and watches break. */
  z.strictObject({ kind: z.literal('outage'), service: name, forMs }),
  /** Every write fails; reads and watches go on. */
  z.strictObject({ kind: z.literal('write-outage'), service: name, forMs }),
  z.strictObject({
    kind: z.literal('schema-change'),
    definition: name,
    version: name.optional(),
    schema: z.record(z.string(), z.json()),
  }),
  /** An action that the scenario defines, such as a person who deletes by force. */
  z.strictObject({ kind: z.literal('act'), name }),
] as const;

export const timedFaultSchema = z.discriminatedUnion('kind', timedFaults);
export type TimedFault = z.infer<typeof timedFaultSchema>;
export type TimedFaultKind = TimedFault['kind'];

/** The targets in the world for faults. */
export interface Targets {
  readonly processes: readonly string[];
  /** Pairs of a process and a link. */
  readonly links: readonly (readonly [process: string, link: string])[];
  readonly services: readonly string[];
  readonly acts: readonly string[];
  readonly upgradable: readonly string[];
  readonly schemaChanges: readonly Extract<TimedFault, { kind: 'schema-change' }>[];
}

/** One line for people. */
export function faultText(fault: { readonly kind: string }): string {
  const { kind, ...details } = fault;
  const words = Object.entries(details).map(([key, value]) => ` ${key}=${textOf(value)}`);
  return `${kind}${words.join('')}`;
}

function textOf(value: unknown): string {
  return typeof value === 'string' ? value : typeof value === 'object' ? '{…}' : JSON.stringify(value);
}
