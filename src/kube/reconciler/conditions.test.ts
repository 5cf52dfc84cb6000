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
  ['all is well', [said('Bound', 'True'), said('Stalled', 'False')], 'True AllConditionsMet'],
  ['something is not so', [said('Bound', 'False', 'NoHost'), said('Up', 'True')], 'False NoHost'],
  ['something bad is so', [said('Bound', 'True'), said('Stalled', 'True', 'Rejected')], 'False Rejected'],
  ['something is not known', [said('Bound', 'Unknown', 'Waiting')], 'Unknown Waiting'],
  ['a bad thing is not known', [said('Bound', 'True'), said('Stalled', 'Unknown')], 'True AllConditionsMet'],
] as const)('Ready when %s', ([, withMessage, expected]) => {
  expect(readyIn(withConditions(withMessage, { before: [], generation: 1, at }))).toBe(expected);
});

it('nothing is Ready that was not looked at in its present form', () => {
  const before = withConditions([said('Bound', 'True')], { before: [], generation: 1, at });
  const next = withConditions([said('Up', 'True')], { before, generation: 2, at: later });
  expect(readyIn(next)).toBe('Unknown Because');
});

it('a time changes only with its status', () => {
  const before = withConditions([said('Bound', 'False', 'NoHost')], { before: [], generation: 1, at });
  const same = withConditions([said('Bound', 'False', 'Busy')], { before, generation: 1, at: later });
  expect(same.map(({ lastTransitionTime }) => lastTransitionTime)).toEqual([at, at]);
  const other = withConditions([said('Bound', 'True')], { before: same, generation: 1, at: later });
  expect(other.map(({ lastTransitionTime }) => lastTransitionTime)).toEqual([later, later]);
});

it('Ready and Stalled are never both true, whatever is said', () => {
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
