/** The age in kubectl's short form: two units while the first one is small, then one. */

const second = 1000;
const minute = 60 * second;
const hour = 60 * minute;
const day = 24 * hour;
const year = 365 * day;

/** Up to a limit: this unit and a smaller one. */
const forms: readonly (readonly [number, number, string, number, string])[] = [
  [2 * minute, second, 's', 0, ''],
  [10 * minute, minute, 'm', second, 's'],
  [3 * hour, minute, 'm', 0, ''],
  [8 * hour, hour, 'h', minute, 'm'],
  [2 * day, hour, 'h', 0, ''],
  [8 * day, day, 'd', hour, 'h'],
  [2 * year, day, 'd', 0, ''],
  [8 * year, year, 'y', day, 'd'],
];

export function age(since: string, now: number): string {
  const ms = now - Date.parse(since);
  if (Number.isNaN(ms)) return '<unknown>';
  if (ms < -second) return '<invalid>';
  const elapsed = Math.max(ms, 0);
  const form = forms.find(([limit]) => elapsed < limit);
  if (form === undefined) return `${Math.floor(elapsed / year)}y`;
  const [, unit, name, smaller, smallerName] = form;
  const whole = `${Math.floor(elapsed / unit)}${name}`;
  const rest = smaller === 0 ? 0 : Math.floor((elapsed % unit) / smaller);
  return rest === 0 ? whole : `${whole}${rest}${smallerName}`;
}
