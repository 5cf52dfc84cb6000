/** What can go wrong with one effect: one call of a process to a service, on its way there, at it, and on its way back. */
import { z } from 'zod';

const wait = z.int().nonnegative();
const length = z.int().positive();

export const errorReasons = [
  'InternalError',
  'ServiceUnavailable',
  'TooManyRequests',
  'Conflict',
  'Timeout',
  'Forbidden',
] as const;

/** What the legs of a call suffer; any service can be called this way. */
const legFaults = [
  /** Nobody listens; nothing was done, and the caller knows. */
  z.strictObject({ kind: z.literal('refused') }),
  /** Done, but the reply is lost; the caller sees a reset, or nothing at all. */
  z.strictObject({ kind: z.literal('reply-lost'), silent: z.boolean().default(false) }),
  /** The request lands this much later, whoever still waits for it. */
  z.strictObject({ kind: z.literal('late'), ms: length }),
  z.strictObject({ kind: z.literal('slow-reply'), ms: length }),
  /** Done once more after a time, as by a proxy that tries again. */
  z.strictObject({ kind: z.literal('duplicate'), ms: wait }),
  /** The caller dies just before it sends, or at the instant of the effect. */
  z.strictObject({ kind: z.literal('crash-before'), restartMs: wait }),
  z.strictObject({ kind: z.literal('crash-after'), restartMs: wait }),
] as const;

/** What the service itself does wrong; each service says which of these it can. */
const serviceFaults = [
  /** Refused with an answer, before anything was done. */
  z.strictObject({ kind: z.literal('error'), reason: z.enum(errorReasons) }),
  z.strictObject({ kind: z.literal('stale-read'), byRevisions: length }),
  z.strictObject({ kind: z.literal('watch-drop'), afterMs: wait }),
  z.strictObject({ kind: z.literal('watch-expire'), afterMs: wait }),
  z.strictObject({ kind: z.literal('watch-stall'), afterMs: wait, forMs: length }),
  /** The event with this number, from 1, comes twice. */
  z.strictObject({ kind: z.literal('watch-duplicate'), event: length }),
  z.strictObject({ kind: z.literal('watch-lag'), ms: length }),
  /** The watch expires, and the next list of the same process comes from a server that lags behind. */
  z.strictObject({ kind: z.literal('time-travel'), afterMs: wait, byRevisions: length }),
] as const;

const legFaultSchema = z.discriminatedUnion('kind', legFaults);
const serviceFaultSchema = z.discriminatedUnion('kind', serviceFaults);
export const effectFaultSchema = z.discriminatedUnion('kind', [...legFaults, ...serviceFaults]);

export type EffectFault = z.infer<typeof effectFaultSchema>;
export type EffectFaultKind = EffectFault['kind'];
export type ServiceFault = z.infer<typeof serviceFaultSchema>;
type LegFault = z.infer<typeof legFaultSchema>;

export const legFaultKinds = legFaults.map((schema) => schema.shape.kind.value);
export const serviceFaultKinds = serviceFaults.map((schema) => schema.shape.kind.value);

export function isServiceFault(fault: EffectFault): fault is ServiceFault {
  return serviceFaultKinds.some((kind) => kind === fault.kind);
}

export function findFault<Kind extends LegFault['kind']>(
  faults: readonly EffectFault[],
  kind: Kind,
): Extract<LegFault, { kind: Kind }> | undefined {
  return faults.find((fault): fault is Extract<LegFault, { kind: Kind }> => fault.kind === kind);
}
