/** An invalid plan is rejected, with every invalid field. */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { parsePlan } from './plan-file.ts';

const drills = join(import.meta.dirname, '../../../../docs/drills');
const drop = { kind: 'watch-drop', afterEvents: 1 };

it('an empty plan has no faults', () => {
  expect(parsePlan('{}')).toEqual({ rules: [], situations: [] });
});

it.for([
  ['', /^it is not JSON: /],
  ['[]', /^the file: /],
  [{ rule: [] }, /^the file: .*"rule"/],
  [{ rules: [{}] }, /^rules\[0\]\.fault/],
  [{ rules: [{ fault: { kind: 'explode' } }] }, /^rules\[0\]\.fault\.kind: /],
  [{ rules: [{ fault: { kind: 'late' } }] }, /^rules\[0\]\.fault\.ms: /],
  [{ rules: [{ fault: { kind: 'late', ms: -1 } }] }, /^rules\[0\]\.fault\.ms: /],
  [{ rules: [{ fault: { kind: 'error', reason: 'Teapot' } }] }, /^rules\[0\]\.fault\.reason: /],
  [{ rules: [{ fault: { kind: 'watch-drop' } }] }, /^rules\[0\]\.fault: needs either afterEvents or afterMs/],
  [{ rules: [{ fault: { ...drop, afterMs: 1 } }] }, /^rules\[0\]\.fault: needs either/],
  [
    { rules: [{ fault: drop, match: { verbs: ['watch', 'get'] } }] },
    /^rules\[0\]\.match\.verbs\[1\]: watch-drop/,
  ],
  [{ rules: [{ fault: drop, match: { verbs: ['read'] } }] }, /^rules\[0\]\.match\.verbs\[0\]: /],
  [{ rules: [{ fault: drop, match: { names: [] } }] }, /^rules\[0\]\.match\.names: /],
  [{ rules: [{ fault: drop, when: { probability: 2 } }] }, /^rules\[0\]\.when\.probability: /],
  [
    { rules: [{ fault: drop, when: { fromMs: 2, untilMs: 2 } }] },
    /^rules\[0\]\.when\.untilMs: must be later/,
  ],
  [{ situations: [{ kind: 'outage', fromMs: 0 }] }, /^situations\[0\]\.forMs: /],
  [{ situations: [{ kind: 'schema-change', atMs: 0, definition: 'a.b' }] }, /^situations\[0\]\.schema: /],
] as const)('%j is refused with %s', ([plan, message]) => {
  expect(() => parsePlan(typeof plan === 'string' ? plan : JSON.stringify(plan))).toThrow(message);
});

it('all that is wrong is said at once', () => {
  const plan = { rules: [{ fault: { kind: 'late' } }], situations: [{ kind: 'outage', fromMs: 0 }] };
  expect(() => parsePlan(JSON.stringify(plan))).toThrow(/rules\[0\].*situations\[0\]/);
});

describe('the examples in docs/drills', () => {
  it.each(readdirSync(drills).filter((name) => name.endsWith('.json')))('%s can be used', (name) => {
    const { rules, situations } = parsePlan(readFileSync(join(drills, name), 'utf8'));
    expect(rules.length + situations.length).toBeGreaterThan(0);
  });
});
