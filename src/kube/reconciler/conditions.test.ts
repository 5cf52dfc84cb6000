import * as fc from 'fast-check';
import { expect, it } from 'vitest';
import { withConditions, type Condition, type Said } from './conditions.ts';

const at = '2026-01-01T00:00:00Z';
const later = '2026-01-01T00:01:00Z';

function said(type: string, status: Said['status'], reason = 'Because'): Said {
  return { type, status, reason };
}

function readyIn(conditions: readonly Condition[]): string {
  const ready = conditions.filter(({ type }) => type === 'Ready');
  expect(ready).toHaveLength(1);
  return `${ready[0]?.status} ${ready[0]?.reason}`;
}

it.for([
  ['all conditions are good', [said('Bound', 'True'), said('Stalled', 'False')], 'True AllConditionsMet'],
  ['a condition is False', [said('Bound', 'False', 'NoHost'), said('Up', 'True')], 'False NoHost'],
  [
    'a negative condition is True',
    [said('Bound', 'True'), said('Stalled', 'True', 'Rejected')],
    'False Rejected',
  ],
  ['a condition is Unknown', [said('Bound', 'Unknown', 'Waiting')], 'Unknown Waiting'],
  [
    'a negative condition is Unknown',
    [said('Bound', 'True'), said('Stalled', 'Unknown')],
    'True AllConditionsMet',
  ],
] as const)('Ready when %s', ([, withMessage, expected]) => {
  expect(readyIn(withConditions(withMessage, { before: [], generation: 1, at }))).toBe(expected);
});

it('an object is not Ready before its current generation was observed', () => {
  const before = withConditions([said('Bound', 'True')], { before: [], generation: 1, at });
  const next = withConditions([said('Up', 'True')], { before, generation: 2, at: later });
  expect(readyIn(next)).toBe('Unknown Because');
});

it('the transition time changes only with the status', () => {
  const before = withConditions([said('Bound', 'False', 'NoHost')], { before: [], generation: 1, at });
  const same = withConditions([said('Bound', 'False', 'Busy')], { before, generation: 1, at: later });
  expect(same.map(({ lastTransitionTime }) => lastTransitionTime)).toEqual([at, at]);
  const other = withConditions([said('Bound', 'True')], { before: same, generation: 1, at: later });
  expect(other.map(({ lastTransitionTime }) => lastTransitionTime)).toEqual([later, later]);
});

it('Ready and Stalled are never both true', () => {
  const one = fc.record({
    type: fc.constantFrom('Bound', 'Up', 'Stalled', 'Paused', 'Ready'),
    status: fc.constantFrom<Said['status']>('True', 'False', 'Unknown'),
    reason: fc.constantFrom('A', 'B'),
  });
  fc.assert(
    fc.property(fc.uniqueArray(one, { selector: ({ type }) => type }), (withMessage) => {
      const conditions = withConditions(withMessage, { before: [], generation: 1, at });
      const isTrue = (type: string): boolean =>
        conditions.some((condition) => condition.type === type && condition.status === 'True');
      expect(isTrue('Ready') && isTrue('Stalled')).toBe(false);
      expect(new Set(conditions.map(({ type }) => type)).size).toBe(conditions.length);
    }),
  );
});
