/**
 * A body as the client reads it: equal to `parseLossless` of `exactJson` of the body, which a test proves. In a long
 * run most of the time of the simulated GitHub was spent on writing and parsing that text.
 */
export function asRead(value: unknown): unknown {
  if (typeof value === 'bigint') return Number.isSafeInteger(Number(value)) ? Number(value) : String(value);
  if (typeof value === 'number') return Number.isSafeInteger(value) ? value : String(value);
  if (Array.isArray(value)) return value.map((one: unknown) => (one === undefined ? null : asRead(one)));
  if (typeof value !== 'object' || value === null) return value;
  const fields: Record<string, unknown> = {};
  for (const [name, one] of Object.entries(value)) if (one !== undefined) fields[name] = asRead(one);
  return fields;
}
