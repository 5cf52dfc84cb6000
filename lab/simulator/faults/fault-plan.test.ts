import { describe, expect, it } from 'vitest';
import { entryText, parsePlanFile } from './fault-plan.ts';

const plan = {
  scenario: 'counter',
  seed: 7,
  hours: 12,
  bug: 'lost-update',
  faults: [
    { on: 'worker-a/kube/update configmaps#3', fault: { kind: 'late', ms: 500 } },
    { atMs: 90_000, fault: { kind: 'crash', process: 'worker-a', restartMs: 5000 } },
  ],
};

describe('the file of a plan', () => {
  it('reads back what was written', () => {
    expect(parsePlanFile(JSON.stringify(plan))).toEqual(plan);
    expect(parsePlanFile(JSON.stringify(plan)).faults.map(entryText)).toEqual([
      'on worker-a/kube/update configmaps#3: late ms=500',
      'at 90000 ms: crash process=worker-a restartMs=5000',
    ]);
  });

  it.for<[string, string, string]>([
    ['no JSON', '{', 'it is not JSON'],
    ['an unknown field', JSON.stringify({ ...plan, colour: 'red' }), 'colour'],
    ['a seed that is none', JSON.stringify({ ...plan, seed: -1 }), 'seed'],
    ['no hours', JSON.stringify({ ...plan, hours: 0 }), 'hours'],
    [
      'an unknown fault',
      JSON.stringify({ ...plan, faults: [{ atMs: 1, fault: { kind: 'x' } }] }),
      'faults[0]',
    ],
    [
      'a fault of an effect at a time',
      JSON.stringify({ ...plan, faults: [{ atMs: 1, fault: { kind: 'late', ms: 1 } }] }),
      'faults[0]',
    ],
  ])('with %s is refused', ([, text, message]) => {
    expect(() => parsePlanFile(text)).toThrow(message);
  });
});
