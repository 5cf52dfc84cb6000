/**
 * Faults of one effect: of one call of a process to a service, on the way there, at the service, and on the way back.
 * The kinds are those of the fault injection of the embedded API; crashes exist in the simulator alone.
 */
import { z } from 'zod';
import { apiFaults, requestFaults } from '../../../src/embedded/kubernetes-api/faults/fault.ts';

const wait = z.int().nonnegative();
const length = z.int().positive();

/** The error reasons that every simulated service can return. */
export const errorReasons = [
  'InternalError',
  'ServiceUnavailable',
  'TooManyRequests',
  'Conflict',
  'Timeout',
  'Forbidden',
] as const;

/** Faults of the request and the reply in transit; they fit any service. */
const legFaults = [
  requestFaults.refused,
  requestFaults.replyLost,
  requestFaults.late,
  requestFaults.slowReply,
  requestFaults.duplicate,
  /** The caller dies just before it sends, or at the instant of the effect. */
  z.strictObject({ kind: z.literal('crash-before'), restartMs: wait }),
  z.strictObject({ kind: z.literal('crash-after'), restartMs: wait }),
] as const;

/** Faults of the service itself; each service lists the kinds it supports. */
const serviceFaults = [
  z.strictObject({ kind: z.literal('error'), reason: z.enum(errorReasons) }),
  apiFaults.staleRead,
  apiFaults.watchDrop,
  apiFaults.watchExpire,
  apiFaults.watchStall,
  apiFaults.watchDuplicate,
  apiFaults.watchLag,
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
