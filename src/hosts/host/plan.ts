/** What is done about one host: the step that the table gives for it, and why. */
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
  /** Of the step that is due. */
  readonly refusal?: Refusal | undefined;
}

export interface Action {
  readonly kind: Exclude<HostStep, 'none'> | HoldStep;
}

/** A host that is kept aside must stay known as such, also when somebody deletes all MacHosts. */
const holdSteps = {
  keep: 'keep its MacHost from being deleted',
  unkeep: 'let its MacHost be deleted again',
} as const;
export type HoldStep = keyof typeof holdSteps;

export const actionTexts: Readonly<Record<Action['kind'], string>> = { ...hostSteps, ...holdSteps };

/** Some rests end with time alone: a wipe that is not seen to begin, a name that has to settle. */
const lookAgainMs = 60_000;
/** The states in which nothing is under way, unless a step is due: what ends them is a change that somebody sees. */
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
  if (holding !== undefined)
    return { actions: [{ kind: holding }], notes: [], lookAgainAt: now + lookAgainMs };
  if (refusal !== undefined && now < refusal.until) return leftAlone(host, refusal);
  const verdict = verdictFor(observed);
  const { state, reason, step } = verdict;
  const isWatched = detachedWipe(recordOf(host), now) !== 'none';
  const isAtRest = step === 'none' && settled.has(state) && !isWatched;
  return {
    actions: step === 'none' ? [] : [{ kind: step }],
    notes: [{ subject: host.metadata.name, reason, detail: detailOf(verdict) }],
    ...(!isAtRest && { lookAgainAt: now + lookAgainMs }),
  };
}

/** One that is going already cannot be kept any more; one that would go at once is let go when it says nothing that matters. */
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

/** Whose it is or was, or what is to be done with it: a machine may have counted on that a moment ago. */
function isSpeaking({ spec = {}, status }: MacHostObject): boolean {
  const { claim, release, lastOwner, personName } = spec;
  const isGone = status?.observed?.status === goneStatus;
  // mutation: record-of-person-keeps-finalizer
  return !isGone && (claim ?? release ?? lastOwner ?? personName) !== undefined;
}

function leftAlone({ metadata }: MacHostObject, { reason, message, until }: Refusal): Plan<Action> {
  return { actions: [], notes: [{ subject: metadata.name, reason, detail: message }], lookAgainAt: until };
}

export function verdictFor({ host, view, now }: Pick<Observed, 'host' | 'view' | 'now'>): Transition {
  return nextTransition(recordOf(host), view, now);
}

function detailOf({ reason, step }: Transition): string {
  return step === 'none' ? reasons[reason] : `${reasons[reason]} Next: ${hostSteps[step]}.`;
}
