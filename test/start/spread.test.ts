import { expect, it } from 'vitest';
import { spread } from '../../scripts/spread.ts';

const few = ['A', 'B'];
const many = ['1', '2', '3', '4', '5', '6'];

it('spreads each list evenly, and keeps the order within it', () => {
  expect(spread([{ list: few }, { list: many }]).join('')).toBe('1A234B56');
});

it('spreads a list over the first part where that is asked for', () => {
  expect(spread([{ list: few, share: 0.4 }, { list: many }]).join('')).toBe('1A2B3456');
});

it('leaves a single list as it is, and makes nothing of none', () => {
  expect(spread([{ list: ['c', 'a', 'b'] }])).toEqual(['c', 'a', 'b']);
  expect(spread([])).toEqual([]);
});
