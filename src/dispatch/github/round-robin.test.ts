import { expect, it } from 'vitest';
import { repositoriesRoundRobin } from './round-robin.ts';

const all = ['o/a', 'o/b', 'o/c', 'o/d', 'o/e', 'o/f'];
const look = { all, first: [], after: undefined, max: 4 };

it.for([
  ['takes all where they are few', { max: 6 }, [], all],
  ['takes so many and no more', {}, [], ['o/a', 'o/b', 'o/c', 'o/d']],
  ['goes on where the last one ended', { after: 'o/d' }, [], ['o/e', 'o/f', 'o/a', 'o/b']],
  ['goes on after the last of all with the first', { after: 'o/f' }, [], ['o/a', 'o/b', 'o/c', 'o/d']],
  ['begins anew where that one is no more', { after: 'o/z' }, [], ['o/a', 'o/b', 'o/c', 'o/d']],
  ['takes those that matter each time', { first: ['O/E'], after: 'o/a' }, ['o/e'], ['o/b', 'o/c', 'o/d']],
  [
    'leaves half to the others',
    { first: ['o/d', 'o/e', 'o/f'], after: 'o/e' },
    ['o/d', 'o/e'],
    ['o/f', 'o/a'],
  ],
  ['takes nothing that is not there', { first: ['o/gone'], max: 1 }, [], ['o/a']],
] as const)('a look %s', ([, other, head, next]) => {
  expect(repositoriesRoundRobin({ ...look, ...other })).toEqual({ head, next });
});
