import { expect, it } from 'vitest';
import { draw } from '../../scripts/draw.ts';

const names = Array.from({ length: 120 }, (_, index) => `name-${index}`);
const order = { count: 10, by: 'a commit', idOf: (name: string) => name };

it('draws as many as asked for, each once, and all when there are fewer', () => {
  expect(new Set(draw(names, order)).size).toBe(10);
  expect(draw(names.slice(0, 3), order).toSorted()).toEqual(names.slice(0, 3));
});

it('draws the same ones for the same text, in whatever order they come', () => {
  expect(draw(names.toReversed(), order)).toEqual(draw(names, order));
});

it('draws others for another text', () => {
  expect(draw(names, { ...order, by: 'another commit' })).not.toEqual(draw(names, order));
});

it('draws each of them some time', () => {
  const texts = Array.from({ length: 200 }, (_, index) => `commit ${index}`);
  const drawn = new Set(texts.flatMap((by) => draw(names, { ...order, by })));
  expect(drawn.size).toBe(names.length);
});
