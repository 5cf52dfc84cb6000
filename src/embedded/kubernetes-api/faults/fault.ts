/** All faults of a request or a watch, as data. */
import { z } from 'zod';
import type { Verb } from '../verb.ts';

const wait = z.int().positive();
const count = z.int().nonnegative();

/** The moment of a watch: after a number of events, or a time after its start. */
const moment = { afterEvents: count.optional(), afterMs: count.optional() };

export const errorReasons = [
  'InternalError',
  'ServiceUnavailable',
  'TooManyRequests',
  'Conflict',
  'Timeout',
  'Expired',
  'Forbidden',
  'Unauthorized',
] as const;

/** What any service can suffer on the way of a request and of its answer: drills, scripts and plans share these words. */
export const requestFaults = {
  /** The connection is refused: nothing was done, and the caller knows. */
  refused: z.strictObject({ kind: z.literal('refused') }),
  /** The connection breaks before anything was done. */
  reset: z.strictObject({ kind: z.literal('reset') }),
  /** Everything was done, and the connection breaks before the answer; silent: the answer never comes. */
  replyLost: z.strictObject({ kind: z.literal('reply-lost'), silent: z.boolean().default(false) }),
  /** The request takes effect this much later, even when the caller no longer waits. */
  late: z.strictObject({ kind: z.literal('late'), ms: wait }),
  /** The request takes effect at once; the answer comes this much later. */
  slowReply: z.strictObject({ kind: z.literal('slow-reply'), ms: wait }),
  /** The request takes effect twice, as behind a proxy that retries. */
  duplicate: z.strictObject({ kind: z.literal('duplicate'), ms: count }),
};

/** What the Kubernetes API can do wrong by itself. */
export const apiFaults = {
  /** Refused with this answer, before anything was done. */
  error: z.strictObject({
    kind: z.literal('error'),
    reason: z.enum(errorReasons),
    message: z.string().optional(),
    retryAfterSeconds: z.int().positive().optional(),
  }),
  /** Answered from the state so many revisions ago, or the oldest that is still known. */
  staleRead: z.strictObject({ kind: z.literal('stale-read'), byRevisions: z.int().positive() }),
  /** The connection of the watch breaks. */
  watchDrop: z.strictObject({ kind: z.literal('watch-drop'), ...moment }).check(namesOneMoment),
  /** The watch ends with the error that its revision is too old. */
  watchExpire: z.strictObject({ kind: z.literal('watch-expire'), ...moment }).check(namesOneMoment),
  /** The watch delivers nothing for a time; then all of it. */
  watchStall: z
    .strictObject({ kind: z.literal('watch-stall'), ...moment, forMs: wait })
    .check(namesOneMoment),
  /** The event with this number, from 1, comes twice. */
  watchDuplicate: z.strictObject({ kind: z.literal('watch-duplicate'), event: z.int().positive() }),
  /** Each event comes this much later. */
  watchLag: z.strictObject({ kind: z.literal('watch-lag'), ms: wait }),
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
  requestFaults.refused,
  requestFaults.reset,
  requestFaults.replyLost.omit({ silent: true }),
  requestFaults.late,
  requestFaults.slowReply,
  ...Object.values(apiFaults),
]);

export type Fault = z.infer<typeof faultSchema>;
export type FaultOf<Kind extends Fault['kind']> = Extract<Fault, { kind: Kind }>;
export type WatchFault = Extract<Fault, { kind: `watch-${string}` }>;

export function isWatchFault(fault: Fault): fault is WatchFault {
  return fault.kind.startsWith('watch-');
}

/** Whether a fault applies to a verb: only reads can be stale, only watches can be dropped. */
export function canHit(fault: Fault, verb: Verb): boolean {
  if (isWatchFault(fault)) return verb === 'watch';
  if (fault.kind === 'stale-read') return verb === 'get' || verb === 'list';
  return fault.kind !== 'reply-lost' || verb !== 'watch';
}
