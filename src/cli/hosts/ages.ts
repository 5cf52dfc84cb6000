/** Formats durations, timestamps and prices for tables. */
const [second, minute, hour, day] = [1000, 60_000, 3_600_000, 86_400_000];

/** The two largest nonzero units: `42s`, `12m`, `5h12m`, `3d4h`, `120d`. */
export function ageText(ms: number): string {
  if (ms < minute) return `${Math.max(0, Math.floor(ms / second))}s`;
  if (ms < hour) return `${Math.floor(ms / minute)}m`;
  if (ms < day) return pair([Math.floor(ms / hour), 'h'], [Math.floor((ms % hour) / minute), 'm']);
  const days = Math.floor(ms / day);
  return days >= 100 ? `${days}d` : pair([days, 'd'], [Math.floor((ms % day) / hour), 'h']);
}

function pair(...[[large, unit], [small, smaller]]: readonly [Amount, Amount]): string {
  return small === 0 ? `${large}${unit}` : `${large}${unit}${small}${smaller}`;
}

type Amount = readonly [number, string];

/** A dash for an unknown time. */
export function sinceText(at: string | undefined, now: number): string {
  return at === undefined ? '-' : ageText(now - Date.parse(at));
}

export function eurosPerDay(pricePerHour: number | undefined): number | undefined {
  return pricePerHour === undefined ? undefined : pricePerHour * 24;
}

export function eurosText(euros: number | undefined): string {
  return euros === undefined ? '-' : euros.toFixed(2);
}

/** RFC 3339 as Kubernetes writes it, without a zero fraction. */
export function stampOf(ms: number): string {
  return new Date(ms).toISOString().replace(/\.000Z$/, 'Z');
}
