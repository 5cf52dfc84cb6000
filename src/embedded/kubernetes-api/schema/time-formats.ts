/** The formats `date`, `date-time` and `duration`, with the leniency of the real server's parsers. */

export function isDate(text: string): boolean {
  const parts = /^(\d{4})-(\d{2})-(\d{2})$/.exec(text);
  if (parts === null) return false;
  const [year = 0, month = 0, day = 0] = parts.slice(1).map(Number);
  return month >= 1 && month <= 12 && day >= 1 && day <= daysIn(year, month);
}

function daysIn(year: number, month: number): number {
  if (month !== 2) return [4, 6, 9, 11].includes(month) ? 30 : 31;
  return year % 4 === 0 && (year % 100 !== 0 || year % 400 === 0) ? 29 : 28;
}

/** Ignores text after a second `t`, and accepts any two digits as the hour of the offset. */
export function isDateTime(text: string): boolean {
  const [date = '', time = ''] = text.toLowerCase().split('t');
  const parts = /^(\d{2}):(\d{2}):(\d{2})([^\n]\d+)?(z|[+-]\d{2}:\d{2})$/.exec(time);
  if (parts === null || !isDate(date)) return false;
  const [hours = 0, minutes = 0, seconds = 0] = parts.slice(1, 4).map(Number);
  return hours <= 23 && minutes <= 59 && seconds <= 59;
}

const units = new Set(['ns', 'us', 'µs', 'ms', 's', 'm', 'h', 'd', 'w', 'hr', 'wk']);
const unitBeginnings = ['nano', 'micro', 'milli', 'sec', 'min', 'hour', 'day', 'week'];
const int64Max = 2n ** 63n - 1n;

/** Bounds the quadratic cost of long texts. */
const durationMax = 1_000;

/** Either `1h30m`, or a text that contains an amount such as `2 weeks`. */
export function isDuration(text: string): boolean {
  if (text.length > durationMax) return false;
  if (/^[+-]?0$/.test(text) || /^[+-]?((\d+(\.\d*)?|\.\d+)(ns|us|µs|μs|ms|s|m|h))+$/.test(text)) return true;
  const amounts = [...text.matchAll(/(\d+)[\t\n\f\r ]*([A-Za-zµ]+)/g)];
  if (amounts.some(([, digits = '']) => BigInt(digits) > int64Max)) return false;
  return amounts.some(([, , unit = '']) => isUnit(unit.toLowerCase()));
}

function isUnit(word: string): boolean {
  return units.has(word) || unitBeginnings.some((beginning) => word.startsWith(beginning));
}
