import { expect, it } from 'vitest';
import { repositoriesRoundRobin } from './round-robin.ts';

const all = ['o/a', 'o/b', 'o/c', 'o/d', 'o/e', 'o/f'];
const look = { all, first: [], after: undefined, max: 4 };

it.for([
  ['takes all if they are few', { max: 6 }, [], all],
  ['takes no more than the limit', {}, [], ['o/a', 'o/b', 'o/c', 'o/d']],
  ['continues where the last poll ended', { after: 'o/d' }, [], ['o/e', 'o/f', 'o/a', 'o/b']],
  ['wraps around after the last', { after: 'o/f' }, [], ['o/a', 'o/b', 'o/c', 'o/d']],
  ['starts over if that repository is gone', { after: 'o/z' }, [], ['o/a', 'o/b', 'o/c', 'o/d']],
  [
    'takes preferred repositories each time',
    { first: ['O/E'], after: 'o/a' },
    ['o/e'],
    ['o/b', 'o/c', 'o/d'],
  ],
  [
    'keeps half for the others',
    { first: ['o/d', 'o/e', 'o/f'], after: 'o/e' },
    ['o/d', 'o/e'],
    ['o/f', 'o/a'],
  ],
  ['ignores preferred repositories that are gone', { first: ['o/gone'], max: 1 }, [], ['o/a']],
] as const)('a look %s', ([, other, head, next]) => {
  expect(repositoriesRoundRobin({ ...look, ...other })).toEqual({ head, next });
});
