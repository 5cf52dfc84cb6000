/** The Events about reclaimed hosts. */
import { macHosts } from '../state/objects.ts';
import { subjectOf, type EventDraft } from '../../kube/reconciler/event-draft.ts';
import type { Report } from '../../kube/reconciler/plan.ts';
import type { Action, Observed } from './plan.ts';

export function eventsFor(_observed: Observed, { results }: Report<Action>): readonly EventDraft[] {
  return results.flatMap(({ action, outcome }): readonly EventDraft[] => {
    if (outcome !== 'requested') return [];
    const subject = subjectOf(macHosts, action.host);
    const message =
      'no machine spoke for the host in two inventories, so the host is wiped and returned to the pool';
    return [{ subject, type: 'Warning', reason: 'Stranded', message }];
  });
}
