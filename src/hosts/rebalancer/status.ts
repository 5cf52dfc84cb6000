/** The Events about the rolls of the Deployment. */
import { failuresIn, subjectOf, type EventDraft } from '../../kube/reconciler/event-draft.ts';
import type { Report } from '../../kube/reconciler/plan.ts';
import { deployments } from '../../kube/client/builtin-resources.ts';
import { decide, type Action, type Observed } from './plan.ts';

export function eventsFor(observed: Observed, report: Report<Action>): readonly EventDraft[] {
  const { deployment } = observed;
  if (deployment === undefined) return [];
  const subject = subjectOf(deployments, deployment);
  const { reason, detail } = decide(observed);
  const isRequested = report.results.some(({ outcome }) => outcome === 'requested');
  const rolled: EventDraft = { subject, type: 'Normal', reason, message: detail };
  return [...(isRequested ? [rolled] : []), ...failuresIn(subject, report)];
}
