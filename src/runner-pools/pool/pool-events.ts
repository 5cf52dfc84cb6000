/** The Kubernetes Events of a pool. */
import { runnerPools } from '../state/runner-pool-objects.ts';
import { failuresIn, subjectOf, type EventDraft } from '../../kube/reconciler/event-draft.ts';
import type { Report } from '../../kube/reconciler/plan.ts';
import { creationsIn } from './scale-up.ts';
import type { Action, Observed } from './observed.ts';
import type { RetireReason } from '../pods/ports.ts';
import type { Pod } from '../../kube/client/builtin-resources.ts';

type Reported = Pick<EventDraft, 'type' | 'reason' | 'message'>;

export function eventsFor(
  observed: Observed,
  report: Report<Action>,
  unreported: number,
): readonly EventDraft[] {
  const subject = subjectOf(runnerPools, observed.pool);
  const isEarly = creationsIn(observed).hindered?.reason === 'RunnerPodsEndEarly';
  const early: EventDraft = {
    subject,
    type: 'Warning',
    reason: 'RunnerPodsEndEarly',
    message: 'Pods end soon after their start and without a job, so new Pods are created slowly',
  };
  const removed = report.results.flatMap(({ action, outcome }) => {
    if (action.kind !== 'retire' || outcome !== 'requested') return [];
    const reported = removals[action.why]?.(action.pod);
    return reported === undefined ? [] : [{ subject, ...reported }];
  });
  const quiet: EventDraft = {
    subject,
    type: 'Warning',
    reason: 'RunnerPodNotReported',
    message: 'an ended Pod was removed although its end could not be reported to dispatch',
  };
  return [
    ...removed,
    ...(unreported > 0 ? [quiet] : []),
    ...(isEarly ? [early] : []),
    ...failuresIn(subject, report),
  ];
}

/** Ordinary ends cause no event. */
const removals: Readonly<Partial<Record<RetireReason, (pod: Pod) => Reported>>> = {
  'node-drain': ({ spec }) => ({
    type: 'Normal',
    reason: 'RunnerPodRetiredForNodeDrain',
    message: `an idle Pod was removed from Node ${spec?.nodeName ?? ''}, which is being drained`,
  }),
  'start-timeout': ({ spec }) => ({
    type: 'Warning',
    reason: 'RunnerPodStartTimedOut',
    message: `a Pod on Node ${spec?.nodeName ?? ''} did not start polling in time and was removed`,
  }),
  unschedulable: () => ({
    type: 'Warning',
    reason: 'RunnerPodUnschedulable',
    message: 'no Node had capacity for a Pod in time, and the Pod was removed',
  }),
};
