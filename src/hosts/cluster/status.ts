/** The status of a cluster object, in the fields of both contracts of Cluster API, and the Events about it. */
import { reasons } from '../../api/conditions/reasons.ts';
import { timeText } from '../../platform/time-text.ts';
import type { Condition } from '../../kube/reconciler/conditions.ts';
import { failuresIn, subjectOf, type EventDraft } from '../../kube/reconciler/event-draft.ts';
import type { Report } from '../../kube/reconciler/plan.ts';
import { keyOf } from '../../kube/client/kube-object.ts';
import { infraClusters } from '../state/cluster-objects.ts';
import { gateCondition, type Action, type Half, type Observed } from './plan.ts';

/** Undefined when the status is up to date. */
export function statusPatch({ half, now }: Observed): object | undefined {
  const { status } = half.object;
  const ready = readyOf(half, timeText(now));
  const wanted = { ready: true, ...factsOf(half), conditions: [ready] };
  const before =
    status === undefined ? undefined : { ...pick(status, wanted), conditions: status.conditions };
  return sameAs(before, wanted) ? undefined : wanted;
}

function factsOf({ kind }: Half): object {
  if (kind === 'infrastructure') return { initialization: { provisioned: true } };
  return {
    initialized: true,
    initialization: { controlPlaneInitialized: true },
    externalManagedControlPlane: true,
  };
}

function readyOf({ kind, object }: Half, at: string): Condition {
  const before = object.status?.conditions?.find(({ type }) => type === 'Ready');
  const reason = kind === 'infrastructure' ? 'NothingToProvision' : 'ManagedElsewhere';
  const since = before?.status === 'True' ? before.lastTransitionTime : undefined;
  return {
    type: 'Ready',
    status: 'True',
    reason,
    message: reasons[reason],
    observedGeneration: object.metadata.generation ?? 0,
    lastTransitionTime: since ?? at,
  };
}

function pick(from: object, like: object): object {
  const keys = Object.keys(like);
  return Object.fromEntries(Object.entries(from).filter(([key]) => keys.includes(key)));
}

/** Compares without the order of fields. */
function sameAs(one: unknown, other: unknown): boolean {
  return JSON.stringify(sorted(one)) === JSON.stringify(sorted(other));
}

function sorted(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(sorted);
  if (typeof value !== 'object' || value === null) return value;
  return Object.entries(value)
    .toSorted(([a], [b]) => (a < b ? -1 : 1))
    .map(([key, inner]) => [key, sorted(inner)]);
}

export function eventsFor({ half, above }: Observed, report: Report<Action>): readonly EventDraft[] {
  if (half.kind === 'control-plane' || typeof above !== 'object') return [];
  const subject = subjectOf(infraClusters, half.object);
  const opened: EventDraft = {
    subject,
    type: 'Normal',
    reason: gateCondition,
    message: `Cluster ${keyOf(above.object)} names no control plane, so its ControlPlaneInitialized condition was set`,
  };
  const isRequested = report.results.some(({ outcome }) => outcome === 'requested');
  return [...(isRequested ? [opened] : []), ...failuresIn(subject, report)];
}
