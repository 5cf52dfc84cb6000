/** What people should read about a pool. */
import { runnerPools } from '../../fleet/runner-pools.ts';
import { failuresIn, subjectOf, type Happening } from '../../runtime/controller/happening.ts';
import type { Report } from '../../runtime/controller/plan.ts';
import { creationsIn } from './creations.ts';
import type { Action, Observed, RetireReason } from './observed.ts';
import type { Pod } from '../../runtime/kube/builtin-resources.ts';

type Told = Pick<Happening, 'type' | 'reason' | 'message'>;

export function happeningsOf(
  observed: Observed,
  report: Report<Action>,
  unreported: number,
): readonly Happening[] {
  const subject = subjectOf(runnerPools, observed.pool);
  const isEarly = creationsIn(observed).hindered?.reason === 'RunnerPodsEndEarly';
  const early: Happening = {
    subject,
    type: 'Warning',
    reason: 'RunnerPodsEndEarly',
    message: 'Pods end soon after their start and without a job, so new ones are made slowly',
  };
  const removed = report.results.flatMap(({ action, outcome }) => {
    if (action.kind !== 'retire' || outcome !== 'asked') return [];
    const told = removals[action.why]?.(action.pod);
    return told === undefined ? [] : [{ subject, ...told }];
  });
  const quiet: Happening = {
    subject,
    type: 'Warning',
    reason: 'RunnerPodNotReported',
    message: 'a Pod that ended was removed although dispatch could not be told of it',
  };
  return [
    ...removed,
    ...(unreported > 0 ? [quiet] : []),
    ...(isEarly ? [early] : []),
    ...failuresIn(subject, report),
  ];
}

/** What ends in the usual way is no news. */
const removals: Readonly<Partial<Record<RetireReason, (pod: Pod) => Told>>> = {
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
    message: 'no Node had room for a Pod in time, and it was removed',
  }),
};
