/** The Events about duplicates: one for each duplicate found, and one for each repair. */
import { detailOf, type Duplicate } from '../state/duplicates.ts';
import { macHosts, machines } from '../state/objects.ts';
import { subjectOf, type EventDraft } from '../../kube/reconciler/event-draft.ts';
import type { Report } from '../../kube/reconciler/plan.ts';
import type { Action, Observed } from './plan.ts';

/** `fresh`: the duplicates for which no Event was sent yet. */
export function eventsFor(
  fresh: readonly Duplicate[],
  observed: Observed,
  { results }: Report<Action>,
): readonly EventDraft[] {
  const repaired = results.flatMap(({ action, outcome }) =>
    outcome === 'requested' ? [eventOfRepair(action)] : [],
  );
  return [...fresh.flatMap((one) => eventOfFinding(one, observed)), ...repaired];
}

function eventOfFinding(duplicate: Duplicate, { hosts }: Observed): readonly EventDraft[] {
  const reported = { type: 'Warning', reason: duplicate.kind, message: detailOf(duplicate) } as const;
  if (duplicate.kind === 'SpareHost')
    return [{ subject: subjectOf(machines, duplicate.machine), ...reported }];
  const host = hosts.find(({ metadata }) => metadata.name === duplicate.host.id);
  return host === undefined ? [] : [{ subject: subjectOf(macHosts, host), ...reported }];
}

function eventOfRepair(action: Action): EventDraft {
  const message =
    action.kind === 'unbind'
      ? `the machine named host ${action.hostId}, which another machine owns; the binding was cleared`
      : `the machine is bound to host ${action.homeId}; its claim on host ${action.hostId} was dropped`;
  const reason = action.kind === 'unbind' ? 'SharedHost' : 'SpareHost';
  return { subject: subjectOf(machines, action.machine), type: 'Warning', reason, message };
}
