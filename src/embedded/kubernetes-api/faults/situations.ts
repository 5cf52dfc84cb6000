/** Situations: common sets of rules. */
import type { Verb } from '../verb.ts';
import type { Fault } from './fault.ts';
import type { Rule, Situation } from './plan-file.ts';

const writes: Verb[] = ['create', 'update', 'patch', 'delete', 'deletecollection'];

export function rulesOf(situation: Situation): readonly Rule[] {
  if (situation.kind === 'schema-change') return [];
  const { fromMs, forMs } = situation;
  const when = { fromMs, untilMs: fromMs + forMs };
  switch (situation.kind) {
    case 'outage':
      return [{ match: {}, when, fault: { kind: 'refused' } }];
    case 'write-outage':
      return [{ match: { verbs: writes }, when, fault: { kind: 'error', reason: 'InternalError' } }];
    case 'throttling': {
      const { probability, retryAfterSeconds } = situation;
      const fault: Fault = { kind: 'error', reason: 'TooManyRequests', retryAfterSeconds };
      return [{ match: {}, when: { ...when, probability }, fault }];
    }
  }
}

/** A running watch breaks at the start of an outage. */
export function dropsOf(situations: readonly Situation[], nowMs: number): readonly Fault[] {
  return situations.flatMap((situation): readonly Fault[] =>
    situation.kind === 'outage' && situation.fromMs > nowMs
      ? [{ kind: 'watch-drop', afterMs: situation.fromMs - nowMs }]
      : [],
  );
}
