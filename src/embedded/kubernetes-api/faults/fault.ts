/** All faults of a request or a watch, as data. */
import { z } from 'zod';
import type { Verb } from '../verb.ts';

const wait = z.int().positive();
const count = z.int().nonnegative();

/** The moment of a watch: after a number of events, or a time after its start. */
const moment = { afterEvents: count.optional(), afterMs: count.optional() };

const failReasons = [
  'InternalError',
  'ServiceUnavailable',
  'TooManyRequests',
  'Conflict',
  'Timeout',
  'Expired',
  'Forbidden',
  'Unauthorized',
] as const;

const schemas = {
  /** Rejected before any effect. */
  fail: z.strictObject({
    kind: z.literal('fail'),
    reason: z.enum(failReasons),
    message: z.string().optional(),
    retryAfterSeconds: z.int().positive().optional(),
  }),
  /** The connection breaks before any effect; `refused` shows that to the caller. */
  disconnect: z.strictObject({
    kind: z.literal('disconnect'),
    as: z.enum(['refused', 'reset']).default('reset'),
  }),
  /** The request is done, but the connection breaks before the reply. */
  loseReply: z.strictObject({ kind: z.literal('lose-reply') }),
  delay: z.strictObject({
    kind: z.literal('delay'),
    ms: wait,
    /** Before the effect, or between effect and answer. */
    when: z.enum(['before', 'after']).default('before'),
  }),
  /** Answered from this many revisions ago, or from the oldest known revision. */
  staleRead: z.strictObject({ kind: z.literal('stale-read'), byRevisions: z.int().positive() }),
  /** The connection of the watch breaks. */
  drop: z.strictObject({ kind: z.literal('drop'), ...moment }).check(namesOneMoment),
  /** The watch gets the error that its revision is too old, and ends. */
  expire: z.strictObject({ kind: z.literal('expire'), ...moment }).check(namesOneMoment),
  /** Events are held back for a time, then delivered. */
  stall: z.strictObject({ kind: z.literal('stall'), ...moment, forMs: wait }).check(namesOneMoment),
  /** The event with this number, from 1, comes twice. */
  duplicate: z.strictObject({ kind: z.literal('duplicate'), event: z.int().positive() }),
  /** Each event is delayed by this time. */
  delayEvents: z.strictObject({ kind: z.literal('delay-events'), ms: wait }),
};

function namesOneMoment(
  context: z.core.ParsePayload<{ afterEvents?: number | undefined; afterMs?: number | undefined }>,
): void {
  const { afterEvents, afterMs } = context.value;
  if ((afterEvents === undefined) !== (afterMs === undefined)) return;
  context.issues.push({
    code: 'custom',
    input: context.value,
    message: 'needs either afterEvents or afterMs',
  });
}

export const faultSchema = z.discriminatedUnion('kind', [
  schemas.fail,
  schemas.disconnect,
  schemas.loseReply,
  schemas.delay,
  schemas.staleRead,
  schemas.drop,
  schemas.expire,
  schemas.stall,
  schemas.duplicate,
  schemas.delayEvents,
]);

export type Fault = z.infer<typeof faultSchema>;
export type FaultOf<Kind extends Fault['kind']> = Extract<Fault, { kind: Kind }>;
export type WatchFault = FaultOf<'drop' | 'expire' | 'stall' | 'duplicate' | 'delay-events'>;

const watchKinds: ReadonlySet<Fault['kind']> = new Set<WatchFault['kind']>([
  'drop',
  'expire',
  'stall',
  'duplicate',
  'delay-events',
]);

export function isWatchFault(fault: Fault): fault is WatchFault {
  return watchKinds.has(fault.kind);
}

/** Whether a fault applies to a verb: only reads can be stale, only watches can be dropped. */
export function canHit(fault: Fault, verb: Verb): boolean {
  if (isWatchFault(fault)) return verb === 'watch';
  if (fault.kind === 'stale-read') return verb === 'get' || verb === 'list';
  return fault.kind !== 'lose-reply' || verb !== 'watch';
}
