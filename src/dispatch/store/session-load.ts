/** Counts how many Pods of a pool were busy at once, per minute, from their sessions. */
import type { Session } from './rows.ts';

/** A session that is never closed counts for at most this time. */
export const longestSessionMs = 6 * 3_600_000;
const minuteMs = 60_000;
const minutes = 60;

/** Whether an open session is too old to count: it will most likely never be closed. */
export function isPastCounting({ startedAt }: Pick<Session, 'startedAt'>, at: number): boolean {
  return startedAt <= at - longestSessionMs;
}

type Span = Pick<Session, 'startedAt' | 'endedAt'>;

/** How many sessions overlap each of the last sixty minutes; minutes without sessions are omitted. */
export function busyMinutes(sessions: readonly Span[], at: number): readonly number[] {
  const recent = sessions.filter((session) => touches(session, at - minutes * minuteMs, at));
  return Array.from({ length: minutes }, (_, index) => at - (minutes - index) * minuteMs)
    .map((from) => recent.filter((session) => touches(session, from, from + minuteMs)).length)
    .filter((count) => count > 0);
}

function touches({ startedAt, endedAt }: Span, from: number, to: number): boolean {
  const end = Math.min(endedAt ?? Infinity, startedAt + longestSessionMs);
  return startedAt < to && end > from;
}

/** The smallest value that at least this share of the values does not exceed; 0 without values. */
export function discretePercentile(values: readonly number[], share: number): number {
  const rank = Math.max(1, Math.ceil(values.length * share));
  return values.toSorted((a, b) => a - b)[rank - 1] ?? 0;
}
