/** Reads the retry time from an answer that reports a rate limit. */
import type { Reply } from './reply.ts';

/** Limits of GitHub are hourly; a longer time is a mistake and must not stop the work for good. */
const restMaxMs = 3_600_000;
/** The delay that GitHub recommends if it names none. */
const restDefaultMs = 60_000;
/** GitHub counts in seconds. A reset time in the past would allow requests without pause. */
const restMinMs = 1000;

/** Milliseconds since the epoch by our clock; undefined if the answer reports no rate limit. */
export function restUntil(reply: Reply, said: string, now: number): number | undefined {
  if (!isLimit(reply, said)) return undefined;
  return now + Math.min(Math.max(restMs(reply, now), restMinMs), restMaxMs);
}

/** A missing permission and a rate limit share the status 403. */
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
  // The named times use GitHub's clock, and so does the `Date` header.
  const theirNow = dateOf(headers['date']) ?? now;
  if (/^\d+$/.test(after)) return Number(after) * 1000;
  const date = dateOf(after);
  if (date !== undefined) return date - theirNow;
  const reset = headers['x-ratelimit-reset'] ?? '';
  const isSpent = headers['x-ratelimit-remaining'] === '0';
  return isSpent && /^\d+$/.test(reset) ? Number(reset) * 1000 - theirNow : restDefaultMs;
}

/** Only HTTP dates: `Date.parse` would read `-5` as a year. */
function dateOf(text = ''): number | undefined {
  const at = /^[A-Z][a-z]{2}, /.test(text) ? Date.parse(text) : Number.NaN;
  return Number.isNaN(at) ? undefined : at;
}
