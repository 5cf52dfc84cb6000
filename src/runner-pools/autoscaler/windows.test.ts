/** When a window of a pool is open, including midnight and clock changes. */
import { expect, it } from 'vitest';
import { zoneClock } from '../../platform/zone-clock.ts';
import { floorAt, isOpen, unknownZone, type PoolWindow } from '../state/pool-windows.ts';

const ownedMacs: PoolWindow = {
  days: ['mon', 'tue', 'wed', 'thu', 'fri'],
  from: '08:00',
  to: '18:00',
  timeZone: 'UTC',
  minWarmPoolFloor: 5,
};
const night: PoolWindow = { ...ownedMacs, days: ['fri'], from: '22:00', to: '06:00' };
const berlin: PoolWindow = { ...ownedMacs, timeZone: 'Europe/Berlin' };

it.for([
  ['before it begins', ownedMacs, '2026-11-02T07:59:59Z', false],
  ['when it begins', ownedMacs, '2026-11-02T08:00:00Z', true],
  ['in its last second', ownedMacs, '2026-11-02T17:59:59Z', true],
  ['when it ends', ownedMacs, '2026-11-02T18:00:00Z', false],
  ['on a day that is not listed', ownedMacs, '2026-11-01T12:00:00Z', false],
  ['on any day if none is listed', { ...ownedMacs, days: undefined }, '2026-11-01T12:00:00Z', true],
  ['in the evening of its day', night, '2026-11-06T23:00:00Z', true],
  ['after midnight, on the day after', night, '2026-11-07T05:59:00Z', true],
  ['at its end on the day after', night, '2026-11-07T06:00:00Z', false],
  ['in the evening of the day after', night, '2026-11-07T23:00:00Z', false],
  ['in the morning of its day', night, '2026-11-06T05:00:00Z', false],
  ['over the end of the week', { ...night, days: ['sun'] }, '2026-11-09T01:00:00Z', true],
  [
    'a whole day from noon',
    { ...ownedMacs, days: ['mon'], from: '12:00', to: '12:00' },
    '2026-11-03T11:59:00Z',
    true,
  ],
  [
    'after that day',
    { ...ownedMacs, days: ['mon'], from: '12:00', to: '12:00' },
    '2026-11-03T12:00:00Z',
    false,
  ],
  ['at eight in Berlin in winter', berlin, '2026-11-02T07:00:00Z', true],
  ['before eight in Berlin in winter', berlin, '2026-11-02T06:59:00Z', false],
  ['at eight in Berlin in summer', berlin, '2026-07-06T06:00:00Z', true],
  ['before eight in Berlin in summer', berlin, '2026-07-06T05:59:00Z', false],
  [
    'the day is that of the time zone',
    { ...ownedMacs, days: ['tue'], from: '00:00', to: '02:00', timeZone: 'Asia/Tokyo' },
    '2026-11-02T15:30:00Z',
    true,
  ],
  [
    'in the hour that is skipped in spring',
    { ...berlin, days: ['sun'], from: '02:00', to: '03:00' },
    '2026-03-29T01:00:00Z',
    false,
  ],
  [
    'in the hour that comes twice in autumn, first',
    { ...berlin, days: ['sun'], from: '02:00', to: '03:00' },
    '2026-10-25T00:30:00Z',
    true,
  ],
  [
    'in the hour that comes twice in autumn, again',
    { ...berlin, days: ['sun'], from: '02:00', to: '03:00' },
    '2026-10-25T01:30:00Z',
    true,
  ],
  [
    'in a time zone that does not exist',
    { ...ownedMacs, timeZone: 'Europe/Nowhere' },
    '2026-11-02T12:00:00Z',
    false,
  ],
] as const satisfies readonly (readonly [string, PoolWindow, string, boolean])[])(
  '%s',
  ([, window, at, expected]) => {
    expect(isOpen(window, zoneClock(Date.parse(at)))).toBe(expected);
  },
);

const usual = { enabled: true, minWarmPoolFloor: 2, maxReplicas: 20, scaleDownCooldownSeconds: 300 };
const noon = zoneClock(Date.parse('2026-11-02T12:00:00Z'));

it('the largest floor of the open windows counts, and no window lowers the floor of the pool', () => {
  expect(floorAt(usual, noon)).toBe(2);
  expect(floorAt({ ...usual, windows: [ownedMacs, { ...ownedMacs, minWarmPoolFloor: 9 }] }, noon)).toBe(9);
  expect(floorAt({ ...usual, windows: [{ ...ownedMacs, minWarmPoolFloor: 0 }] }, noon)).toBe(2);
  expect(floorAt({ ...usual, windows: [ownedMacs] }, zoneClock(Date.parse('2026-11-02T19:00:00Z')))).toBe(2);
});

it('a time zone that does not exist is reported', () => {
  expect(unknownZone(usual, noon)).toBeUndefined();
  expect(unknownZone({ ...usual, windows: [ownedMacs, berlin] }, noon)).toBeUndefined();
  expect(unknownZone({ ...usual, windows: [ownedMacs, { ...berlin, timeZone: 'Mars/Olympus' }] }, noon)).toBe(
    'Mars/Olympus',
  );
});
