/** The status of a machine: conditions with the reason of the decision, and a phase. */
import { isDeleting } from '../../kube/client/kube-object.ts';
import { machines, type MachineObject } from '../state/objects.ts';
import { timeText } from '../../platform/time-text.ts';
import { withConditions, type Condition, type Said } from '../../kube/reconciler/conditions.ts';
import { isFleetError } from '../../platform/errors/fleet-error.ts';
import { failuresIn, subjectOf, type EventDraft } from '../../kube/reconciler/event-draft.ts';
import type { Report } from '../../kube/reconciler/plan.ts';
import type { Action, Decision, Observed } from './decision.ts';
import { decide } from './plan.ts';

export interface MachineStatusPatch {
  readonly phase: string;
  readonly conditions: readonly Condition[];
}

/** Problems that only an action detects, and that an operator must fix. */
const foundByActs = ['MissingSudoPassword', 'CredentialsPersistFailed'] as const;

/** Reasons that become Warning Events. */
const badReasons: ReadonlySet<string> = new Set([
  'NoAdoptPoolPrefix',
  'PoolPrefixRefused',
  'NameTaken',
  'NameTooLong',
  'ServerNameTaken',
  'NoAvailableHost',
  'ScalewayAdoptFailed',
  'ReleaseSkipped',
  'SharedHost',
  'NamedByPerson',
  'HostGone',
  ...foundByActs,
]);

/** The machine had or named a host, and only an operator can continue. */
const failedReasons: ReadonlySet<string> = new Set(['ScalewayAdoptFailed', 'HostGone', ...foundByActs]);

export function missingIn(results: Report<Action>['results']): Decision | undefined {
  const failures = results.flatMap(({ outcome }) => (isFleetError(outcome) ? [outcome] : []));
  const missing = failures.flatMap(({ reason, message }): readonly Decision[] => {
    const found = foundByActs.find((one) => one === reason);
    return found === undefined ? [] : [{ reason: found, detail: message }];
  });
  return missing[0];
}

/** Undefined when the status is up to date. */
export function statusPatch(observed: Observed, decision: Decision): MachineStatusPatch | undefined {
  const { machine, now } = observed;
  const before = conditionsIn(machine, timeText(now));
  if (decision.isSilent === true && before.some(({ type }) => type === 'Provisioned')) return undefined;
  const generation = machine.metadata.generation ?? 0;
  const conditions = withConditions(saidOf(machine, decision), { before, generation, at: timeText(now) });
  const phase = phaseOf(machine, decision);
  const isSame =
    machine.status?.phase === phase &&
    JSON.stringify(conditions) === JSON.stringify(before) &&
    before.length === conditions.length;
  return isSame ? undefined : { phase, conditions };
}

function saidOf(machine: MachineObject, { reason, detail }: Decision): readonly Said[] {
  const isProvisioned = reason === 'Provisioned';
  const isPaused = reason === 'Paused';
  const paused: Said = {
    type: 'Paused',
    status: isPaused ? 'True' : 'False',
    reason: isPaused ? 'Paused' : 'NotPaused',
  };
  const provisioned: Said = {
    type: 'Provisioned',
    status: isProvisioned ? 'True' : 'False',
    reason,
    message: detail,
  };
  if (isDeleting(machine)) return [{ type: 'Releasing', status: 'True', reason, message: detail }];
  return isPaused ? [paused] : [provisioned, paused];
}

function phaseOf(machine: MachineObject, { reason }: Decision): string {
  if (isDeleting(machine)) return 'Deleting';
  if (reason === 'Provisioned') return 'Ready';
  if (reason === 'Paused') return machine.status?.phase ?? 'Pending';
  if (failedReasons.has(reason)) return 'Failed';
  return reason === 'Adopting' || reason === 'NoAvailableHost' ? 'Adopting' : 'Pending';
}

function conditionsIn({ status }: MachineObject, at: string): readonly Condition[] {
  return (status?.conditions ?? []).map((one) => ({
    type: one.type,
    status: one.status,
    reason: one.reason ?? '',
    message: one.message ?? '',
    observedGeneration: one.observedGeneration ?? 0,
    lastTransitionTime: one.lastTransitionTime ?? at,
  }));
}

export function eventsFor(observed: Observed, report: Report<Action>): readonly EventDraft[] {
  const subject = subjectOf(machines, observed.machine);
  const { reason, detail } = decide(observed);
  const isBad = badReasons.has(reason);
  const requested = report.results.some(({ outcome }) => outcome === 'requested');
  const reported: EventDraft = { subject, type: isBad ? 'Warning' : 'Normal', reason, message: detail };
  return [...(isBad || requested ? [reported] : []), ...failuresIn(subject, report)];
}
