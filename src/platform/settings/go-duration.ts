/**
 * Durations as flags of Go programs take them (`time.ParseDuration`): fractions, any order, units down to
 * nanoseconds. Flags of existing fleets use this parser, so that a Deployment keeps its arguments. Days are our
 * addition.
 */
import { durationText, within } from './parsers.ts';
import { WrongValue, type Parser } from './setting.ts';

const number = String.raw`\d+(?:\.\d*)?|\.\d+`;
/** Go accepts both letters for micro: U+00B5 and U+03BC. */
const unit = 'ns|us|\u00B5s|\u03BCs|ms|s|m|h|d';
const durationForm = new RegExp(`^([+-]?)(0|(?:(?:${number})(?:${unit}))+)$`);
const part = new RegExp(`(${number})(${unit})`, 'g');

const unitMs: Readonly<Record<string, number>> = {
  ns: 1e-6,
  us: 1e-3,
  '\u00B5s': 1e-3,
  '\u03BCs': 1e-3,
  ms: 1,
  s: 1000,
  m: 60_000,
  h: 3_600_000,
  d: 86_400_000,
};

/** Go counts nanoseconds in 64 bits, which is 292 years. */
const maxMs = Math.ceil(2 ** 63 / 1e6);

/** In whole milliseconds, rounded up. */
export function goDuration({ min }: { readonly min: number }): Parser<number> {
  return {
    placeholder: 'duration',
    expects: `a duration of at least ${durationText(min)}, such as 300ms, 5s, 15m, 1.5h or 1h30m`,
    parse: (given) => {
      if (/^[+-]?[\d.]*[1-9][\d.]*$/.test(given)) throw new WrongValue('the unit is missing');
      const [whole, sign, parts = ''] = durationForm.exec(given) ?? [];
      if (whole === undefined) throw new WrongValue('the value is not a duration');
      const ms = [...parts.matchAll(part)].reduce(
        (sum, [, count, name = '']) => sum + Number(count) * (unitMs[name] ?? Number.NaN),
        0,
      );
      // Sums of fractions are off by less than a nanosecond, which must not add a millisecond.
      const rounded = Math.ceil(Number(ms.toFixed(6)));
      return within(sign === '-' ? -rounded : rounded, { min, max: maxMs }, durationText);
    },
  };
}
