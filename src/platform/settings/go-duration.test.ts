/** Durations that `time.ParseDuration` of Go takes, by its documentation and its tests. */
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

  it.for(['0', '+0', '-0', '0s', '0h0m', '0.0s'])('%s is 0, where 0 has a meaning', async (given) => {
    expect(Math.abs(await read(any, given))).toBe(0);
    expect(await fault(some, given)).toBe('that is less than 1ms');
  });

  it.for([
    ['-5s', 'that is less than 1ms'],
    ['20', 'it has no unit'],
    ['1.5', 'it has no unit'],
    ['-20', 'it has no unit'],
    ['1h30', 'that is no duration'],
    ['2562048h', 'that is more than 106751d23h47m16s855ms'],
    ['99999999999999999999h', 'that is more than 106751d23h47m16s855ms'],
    ['', 'that is no duration'],
    ['.', 'that is no duration'],
    ['.s', 'that is no duration'],
    ['+', 'that is no duration'],
    ['--5s', 'that is no duration'],
    ['1 h', 'that is no duration'],
    [' 1h', 'that is no duration'],
    ['1h\n', 'that is no duration'],
    ['1H', 'that is no duration'],
    ['1e3s', 'that is no duration'],
    ['5sec', 'that is no duration'],
    ['1w', 'that is no duration'],
    ['\u0663s', 'that is no duration'],
    ['Infinity', 'that is no duration'],
  ] as const)('%j is refused: %s', async ([given, why]) => {
    expect(await fault(some, given)).toBe(why);
  });

  it('takes what Go prints, whatever the duration', async () => {
    await fc.assert(
      fc.asyncProperty(fc.integer({ min: 1, max: 100 * 24 * hour }), async (ms) => {
        expect(await read(some, printed(ms))).toBe(ms);
      }),
    );
  });
});

/** As `Duration.String()` has it. */
function printed(ms: number): string {
  if (ms < second) return `${ms}ms`;
  const [hours, minutes] = [Math.floor(ms / hour), Math.floor((ms % hour) / minute)];
  const seconds = `${(ms % minute) / second}s`;
  if (ms < minute) return seconds;
  return hours === 0 ? `${minutes}m${seconds}` : `${hours}h${minutes}m${seconds}`;
}
