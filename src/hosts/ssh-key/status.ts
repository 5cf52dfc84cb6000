/** The Events about the key of a fleet. */
import { machines, type MachineObject } from '../state/objects.ts';
import { failuresIn, subjectOf, type EventDraft } from '../../kube/reconciler/event-draft.ts';
import type { Report } from '../../kube/reconciler/plan.ts';
import { decide, strangersIn, strangeText, type Action, type Observed } from './plan.ts';

/** `machine`: a machine of the fleet, which gets the Events. */
export function eventsFor(
  machine: MachineObject | undefined,
  observed: Observed,
  report: Report<Action>,
): readonly EventDraft[] {
  if (machine === undefined) return [];
  const subject = subjectOf(machines, machine);
  const { reason, detail } = decide(observed);
  const requested = report.results.some(({ outcome }) => outcome === 'requested');
  const isBad = reason === 'SSHKeyUnavailable';
  const message = `fleet ${observed.fleet}: ${detail}`;
  const reported: EventDraft = { subject, type: isBad ? 'Warning' : 'Normal', reason, message };
  const strange = strangersIn(observed).map(({ id }): EventDraft => ({
    subject,
    type: 'Warning',
    reason: 'OtherKey',
    message: `fleet ${observed.fleet}: ${strangeText(id)}`,
  }));
  return [...(isBad || requested ? [reported] : []), ...strange, ...failuresIn(subject, report)];
}
