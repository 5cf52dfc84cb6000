/** Decides the action for one host: the step that the table gives, and why. */
import { goneStatus } from '../state/host-record.ts';
import { hostSteps, type HostStep, type Transition } from '../state/host-steps.ts';
import { nextTransition } from '../state/host-state-machine.ts';
import type { FleetView } from '../state/host-state.ts';
import { recordOf, type MacHostObject } from '../state/objects.ts';
import { detachedWipe } from '../state/wipe-progress.ts';
import { finalizers } from '../../api/names/finalizers.ts';
import { reasons } from '../../api/conditions/reasons.ts';
import type { Plan } from '../../kube/reconciler/plan.ts';
import type { Refusal } from './step-backoff.ts';

export interface Observed {
  readonly now: number;
  readonly host: MacHostObject;
  readonly view: FleetView;
  /** The backoff of the step that is due. */
  readonly refusal?: Refusal | undefined;
}

export interface Action {
  readonly kind: Exclude<HostStep, 'none'> | HoldStep;
}

/** A held host must keep its MacHost, also when all MacHosts are deleted. */
const holdSteps = {
  keep: 'add the hold finalizer to the MacHost',
  unkeep: 'remove the hold finalizer from the MacHost',
} as const;
export type HoldStep = keyof typeof holdSteps;

export const actionTexts: Readonly<Record<Action['kind'], string>> = { ...hostSteps, ...holdSteps };

/** Some states end by time alone: a wipe that does not begin, a rename that has to settle. */
const lookAgainMs = 60_000;
/** States in which nothing is under way, unless a step is due. Only an observed change ends them. */
const settled: ReadonlySet<string> = new Set([
  'Pooled',
  'Owned',
  'Foreign',
  'Quarantined',
  'Stranded',
  'Broken',
  'Terminating',
]);

export function plan(observed: Observed): Plan<Action> {
  const { host, now, refusal } = observed;
  const holding = holdStepOf(host);
  if (holding !== undefined) return { actions: [{ kind: holding }], notes: [], requeueAt: now + lookAgainMs };
  if (refusal !== undefined && now < refusal.until) return leftAlone(host, refusal);
  const verdict = verdictFor(observed);
  const { state, reason, step } = verdict;
  const isWatched = detachedWipe(recordOf(host), now) !== 'none';
  const isAtRest = step === 'none' && settled.has(state) && !isWatched;
  return {
    actions: step === 'none' ? [] : [{ kind: step }],
    notes: [{ subject: host.metadata.name, reason, detail: detailOf(verdict) }],
    ...(!isAtRest && { requeueAt: now + lookAgainMs }),
  };
}

/**
 * A deleting host can no longer be held. The hold finalizer leaves a deleting host only when the MacHost has no
 * claim, order or other record of an owner.
 */
export function holdStepOf(host: MacHostObject): HoldStep | undefined {
  const { metadata, spec } = host;
  const isHeld = spec?.hold !== undefined;
  const isGoing = metadata.deletionTimestamp !== undefined;
  const isKept = metadata.finalizers?.includes(finalizers.hold.key) === true;
  // mutation: claim-or-order-keeps-finalizer
  if (isHeld === isKept || (isGoing && (isHeld || isSpeaking(host)))) return undefined;
  // mutation: hold-keeps-finalizer
  return isHeld ? 'keep' : 'unkeep';
}

/** The record names an owner, an order or a person, on which a machine may rely. */
function isSpeaking({ spec = {}, status }: MacHostObject): boolean {
  const { claim, release, lastOwner, personName } = spec;
  const isGone = status?.observed?.status === goneStatus;
  // mutation: record-of-person-keeps-finalizer
  return !isGone && (claim ?? release ?? lastOwner ?? personName) !== undefined;
}

function leftAlone({ metadata }: MacHostObject, { reason, message, until }: Refusal): Plan<Action> {
  return { actions: [], notes: [{ subject: metadata.name, reason, detail: message }], requeueAt: until };
}

export function verdictFor({ host, view, now }: Pick<Observed, 'host' | 'view' | 'now'>): Transition {
  return nextTransition(recordOf(host), view, now);
}

function detailOf({ reason, step }: Transition): string {
  return step === 'none' ? reasons[reason] : `${reasons[reason]} Next: ${hostSteps[step]}.`;
}
