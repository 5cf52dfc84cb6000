/** What the autoscaler reports about a pool: its calculation, for metrics, and its Events. */
import type { Reason } from '../../api/conditions/reasons.ts';
import { runnerPools } from '../state/runner-pool-objects.ts';
import { failuresIn, subjectOf, type EventDraft } from '../../kube/reconciler/event-draft.ts';
import type { Report } from '../../kube/reconciler/plan.ts';
import { decide, type Action, type Observed, type Sums } from './plan.ts';
import type { Signals } from './target.ts';

/** The last calculation for a pool. */
export interface LastSums extends Sums {
  readonly signals: Signals;
}

/** Event messages. Those of `troubles` are also sent if nothing was done. */
const messages: Readonly<Partial<Record<Reason, string>>> = {
  ScaledUp: 'the pool needs more Pods, so its replicas were raised',
  ScaledDown: 'the pool needs fewer Pods, so its replicas were lowered',
};
const troubles: Readonly<Partial<Record<Reason, string>>> = {
  SignalsUnavailable: 'dispatch reports no signals of the pool, so its replicas stay unchanged',
  RuntimeClassUnknown:
    'the runtime class and thus the cost of a Pod is unknown, so the replicas of the pool stay unchanged',
};

/** Undefined while the signals or the cost of a Pod are unknown. */
export function lastSumsOf(observed: Observed): LastSums | undefined {
  const { sums } = decide(observed);
  const { signals } = observed;
  return sums === undefined || signals === undefined ? undefined : { ...sums, signals };
}

export function eventsFor(observed: Observed, report: Report<Action>): readonly EventDraft[] {
  const subject = subjectOf(runnerPools, observed.pool);
  const { reason } = decide(observed);
  const isRequested = report.results.some(({ outcome }) => outcome === 'requested');
  const done = isRequested ? messages[reason] : undefined;
  const trouble = troubles[reason];
  const reported: readonly EventDraft[] = [
    ...(done === undefined ? [] : [{ subject, type: 'Normal', reason, message: done } as const]),
    ...(trouble === undefined ? [] : [{ subject, type: 'Warning', reason, message: trouble } as const]),
  ];
  return [...reported, ...failuresIn(subject, report)];
}
