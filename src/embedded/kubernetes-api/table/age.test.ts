import { expect, it } from 'vitest';
import { age } from './age.ts';

const seconds = 1000;
const minutes = 60 * seconds;
const hours = 60 * minutes;
const days = 24 * hours;

it.for([
  [0, '0s'],
  [119 * seconds, '119s'],
  [2 * minutes, '2m'],
  [2 * minutes + 5 * seconds, '2m5s'],
  [10 * minutes + 5 * seconds, '10m'],
  [179 * minutes, '179m'],
  [3 * hours + 20 * minutes, '3h20m'],
  [8 * hours + 20 * minutes, '8h'],
  [47 * hours, '47h'],
  [2 * days + 3 * hours, '2d3h'],
  [8 * days + 3 * hours, '8d'],
  [729 * days, '729d'],
  [3 * 365 * days + 2 * days, '3y2d'],
  [9 * 365 * days + 2 * days, '9y'],
  [-500, '0s'],
  [-5 * seconds, '<invalid>'],
] as const)('%i ms ago is %s', ([elapsed, text]) => {
  const since = '2026-01-01T00:00:00Z';
  expect(age(since, Date.parse(since) + elapsed)).toBe(text);
});

it('an invalid time has no age', () => {
  expect(age('soon', 0)).toBe('<unknown>');
});
