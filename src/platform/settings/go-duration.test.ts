/** Durations that Go's `time.ParseDuration` accepts, by its documentation and its tests. */
import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { fault, read } from '../../../lab/harness/settings-harness.ts';
import { goDuration } from './go-duration.ts';

const [second, minute, hour] = [1000, 60_000, 3_600_000];
const some = goDuration({ min: 1 });
const any = goDuration({ min: 0 });

describe('a duration of Go', () => {
  it.for([
    ['5s', 5 * second],
    ['+5s', 5 * second],
    ['1.5h', 90 * minute],
    ['.5h', 30 * minute],
    ['5.s', 5 * second],
    ['1h30m', 90 * minute],
    ['30m1h', 90 * minute],
    ['1h1h', 2 * hour],
    ['90m', 90 * minute],
    ['1h0m0s', hour],
    ['15m0s', 15 * minute],
    ['1h15m30.918273645s', hour + 15 * minute + 30_919],
    ['300ms', 300],
    ['10.5s4m', 4 * minute + 10_500],
    ['5400000ms', 90 * minute],
    ['900000000000ns', 15 * minute],
    ['1500us', 2],
    ['1500\u00B5s', 2],
    ['1500\u03BCs', 2],
    ['1ns', 1],
    ['0.1h', 6 * minute],
    ['0.000000001s', 1],
    ['720h', 720 * hour],
    ['2562047h', 2_562_047 * hour],
    ['2562047h47m16.854775807s', 9_223_372_036_855],
    ['1d', 24 * hour],
  ] as const)('%s is %d ms', async ([given, expected]) => {
    expect(await read(some, given)).toBe(expected);
  });

  it.for(['0', '+0', '-0', '0s', '0h0m', '0.0s'])('%s is 0, if 0 is allowed', async (given) => {
    expect(Math.abs(await read(any, given))).toBe(0);
    expect(await fault(some, given)).toBe('the value is less than 1ms');
  });

  it.for([
    ['-5s', 'the value is less than 1ms'],
    ['20', 'the unit is missing'],
    ['1.5', 'the unit is missing'],
    ['-20', 'the unit is missing'],
    ['1h30', 'the value is not a duration'],
    ['2562048h', 'the value is more than 106751d23h47m16s855ms'],
    ['99999999999999999999h', 'the value is more than 106751d23h47m16s855ms'],
    ['', 'the value is not a duration'],
    ['.', 'the value is not a duration'],
    ['.s', 'the value is not a duration'],
    ['+', 'the value is not a duration'],
    ['--5s', 'the value is not a duration'],
    ['1 h', 'the value is not a duration'],
    [' 1h', 'the value is not a duration'],
    ['1h\n', 'the value is not a duration'],
    ['1H', 'the value is not a duration'],
    ['1e3s', 'the value is not a duration'],
    ['5sec', 'the value is not a duration'],
    ['1w', 'the value is not a duration'],
    ['\u0663s', 'the value is not a duration'],
    ['Infinity', 'the value is not a duration'],
  ] as const)('%j is refused: %s', async ([given, why]) => {
    expect(await fault(some, given)).toBe(why);
  });

  it('parses every duration that Go prints', async () => {
    await fc.assert(
      fc.asyncProperty(fc.integer({ min: 1, max: 100 * 24 * hour }), async (ms) => {
        expect(await read(some, printed(ms))).toBe(ms);
      }),
    );
  });
});

/** The format of `Duration.String()`. */
function printed(ms: number): string {
  if (ms < second) return `${ms}ms`;
  const [hours, minutes] = [Math.floor(ms / hour), Math.floor((ms % hour) / minute)];
  const seconds = `${(ms % minute) / second}s`;
  if (ms < minute) return seconds;
  return hours === 0 ? `${minutes}m${seconds}` : `${hours}h${minutes}m${seconds}`;
}
