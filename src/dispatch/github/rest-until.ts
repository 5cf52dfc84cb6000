/** When GitHub wants to be asked again, if it says that this was once too often. */
import type { Reply } from './reply.ts';

/** Its limits are by the hour; one that says more has made a mistake, and must not stop us for good. */
const restMaxMs = 3_600_000;
/** What GitHub advises where it names no time. */
const restDefaultMs = 60_000;
/** GitHub counts in seconds. An end that has passed would mean one request after the other. */
const restMinMs = 1000;

/** In milliseconds since the epoch by our clock; undefined for an answer that is about something else. */
export function restUntil(reply: Reply, said: string, now: number): number | undefined {
  if (!isLimit(reply, said)) return undefined;
  return now + Math.min(Math.max(restMs(reply, now), restMinMs), restMaxMs);
}

/** A refusal and a limit share the status 403. */
function isLimit({ status, headers }: Reply, said: string): boolean {
  if (status === 429) return true;
  if (status !== 403) return false;
  return (
    headers['retry-after'] !== undefined ||
    headers['x-ratelimit-remaining'] === '0' ||
    /rate limit/i.test(said)
  );
}

function restMs({ headers }: Reply, now: number): number {
  const after = headers['retry-after']?.trim() ?? '';
  // Times that are named are by the clock of GitHub, and so is the time of the answer.
  const theirNow = dateOf(headers['date']) ?? now;
  if (/^\d+$/.test(after)) return Number(after) * 1000;
  const date = dateOf(after);
  if (date !== undefined) return date - theirNow;
  const reset = headers['x-ratelimit-reset'] ?? '';
  const isSpent = headers['x-ratelimit-remaining'] === '0';
  return isSpent && /^\d+$/.test(reset) ? Number(reset) * 1000 - theirNow : restDefaultMs;
}

/** Only in the form of HTTP: `Date.parse` would read `-5` as a year. */
function dateOf(text = ''): number | undefined {
  const at = /^[A-Z][a-z]{2}, /.test(text) ? Date.parse(text) : Number.NaN;
  return Number.isNaN(at) ? undefined : at;
}
