/** Parses `Retry-After`, which may hold anything. */

/** A provider that asks for a wait of thirty years has made a mistake, and must not stop Muster for good. */
const waitMaxMs = 600_000;

export interface RetryHeaders {
  readonly retryAfter?: string | undefined;
  readonly date?: string | undefined;
}

/** In milliseconds since the epoch by our clock. A date is compared with the provider's clock, which may be off. */
export function retryAtOf({ retryAfter, date }: RetryHeaders, now: number): number | undefined {
  const text = retryAfter?.trim() ?? '';
  const waitMs = /^\d+$/.test(text) ? Number(text) * 1000 : dateOf(text) - (dateOf(date) || now);
  return Number.isNaN(waitMs) ? undefined : now + Math.min(Math.max(waitMs, 0), waitMaxMs);
}

/** Only HTTP dates: `Date.parse` would read `-5` as a year. */
function dateOf(text = ''): number {
  return /^[A-Z][a-z]{2}, /.test(text) ? Date.parse(text) : Number.NaN;
}
