import { expect, it } from 'vitest';
import { RandomStreams } from './random-streams.ts';

const draws = (streams: RandomStreams, name: string, count = 5): readonly number[] =>
  Array.from({ length: count }, () => streams.stream(name).next());

it('a draw in one stream does not change another stream', () => {
  const [quiet, busy] = [new RandomStreams(7), new RandomStreams(7)];
  draws(busy, 'cloud', 1000);
  expect(draws(busy, 'kube')).toEqual(draws(quiet, 'kube'));
});

it('different seeds and names give different numbers, equal ones equal numbers', () => {
  const seen = [1, 2, 2 ** 40 + 1].flatMap((seed) =>
    ['cloud', 'kube'].map((name) => draws(new RandomStreams(seed), name).join(' ')),
  );
  expect(new Set(seen).size).toBe(6);
  expect(draws(new RandomStreams(1), 'cloud').join(' ')).toBe(seen[0]);
});

it('a draw by a key does not depend on earlier draws', () => {
  const [quiet, busy] = [new RandomStreams(7), new RandomStreams(7)];
  for (let key = 0; key < 100; key += 1) busy.draw(key, 1);
  expect([busy.draw(5, 1), busy.keyed(5).next()]).toEqual([quiet.draw(5, 1), quiet.keyed(5).next()]);
  expect(quiet.draw(5, 2)).not.toBe(quiet.draw(5, 1));
});

it.for(['stream', 'key'])('numbers of a %s are spread evenly from 0 to below 1', (of) => {
  const streams = new RandomStreams(3);
  const random = of === 'stream' ? streams.stream('x') : streams.keyed(9);
  const tenths = Array.from({ length: 10 }, () => 0);
  for (let round = 0; round < 20_000; round += 1) {
    const tenth = Math.floor(random.next() * 10);
    tenths[tenth] = (tenths[tenth] ?? Number.NaN) + 1;
  }
  expect(Math.min(...tenths)).toBeGreaterThan(1800);
  expect(Math.max(...tenths)).toBeLessThan(2200);
});
