import { expect, it } from 'vitest';
import { celCauses } from './cel-causes.ts';
import type { JsonSchema } from '../schema/structural-schema.ts';
import { loopDepth } from './rule-cost.ts';

it.for([
  ['self.a > 1', 0],
  ['self.all(x, x > 1)', 1],
  ['self.all(x, self.exists(y, y == x))', 2],
  ['self.all(x, x > 1) && self.exists(y, y > 1)', 1],
  ['self.a.all(x, x.b.all(y, y.c.map(z, z).size() > 0))', 3],
  ['self.all(x, x in self)', 2],
  ['self.s.matches(".all(x, .all(y, (")', 0],
  ['self.map(x, size(x)).all(y, y < 3)', 1],
] as const)('%s has loops in loops: %i', ([rule, depth]) => {
  expect(loopDepth(rule)).toBe(depth);
});

function causesOf(rule: string, length: number): readonly string[] {
  const schema: JsonSchema = {
    type: 'array',
    items: { type: 'integer' },
    'x-kubernetes-validations': [{ rule }],
  };
  const value = Array.from({ length }, (_, index) => index);
  return celCauses(schema, value, undefined).map(({ message }) => message);
}

it('does not run a rule with nested loops on a list that is too long', () => {
  const rule = 'self.all(x, self.exists(y, y == x))';
  expect(causesOf(rule, 300)).toEqual([]);
  expect(causesOf(rule, 30_000)).toEqual([expect.stringContaining('cost limit')]);
});

it('runs a single loop on any list', () => {
  expect(causesOf('self.all(x, x >= 0)', 900)).toEqual([]);
});
