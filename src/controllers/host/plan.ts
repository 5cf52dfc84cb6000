/** What is done about one host: the step that the table gives for it, and why. */
import { verdictOn, hostSteps, type HostStep, type Verdict } from '../../fleet/host-table.ts';
import type { FleetView } from '../../fleet/host-situation.ts';
import { recordOf, type MacHostObject } from '../../fleet/objects.ts';
import { finalizers } from '../../api/finalizers.ts';
import { reasons } from '../../api/reasons.ts';
import type { Plan } from '../../runtime/controller/plan.ts';
import type { Refusal } from './refusals.ts';

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
export type HoldStep = 'keep' | 'unkeep';

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
  const isAtRest = step === 'none' && settled.has(state);
  return {
    actions: step === 'none' ? [] : [{ kind: step }],
    notes: [{ subject: host.metadata.name, reason, detail: detailOf(verdict) }],
    ...(!isAtRest && { lookAgainAt: now + lookAgainMs }),
  };
}

/** One that is going already cannot be kept any more. */
export function holdStepOf({ metadata, spec }: MacHostObject): HoldStep | undefined {
  const isHeld = spec?.hold !== undefined;
  const isKept = metadata.finalizers?.includes(finalizers.hold.key) === true;
  if (isHeld && !isKept) return metadata.deletionTimestamp === undefined ? 'keep' : undefined;
  return isKept && !isHeld ? 'unkeep' : undefined;
}

function leftAlone({ metadata }: MacHostObject, { reason, message, until }: Refusal): Plan<Action> {
  return { actions: [], notes: [{ subject: metadata.name, reason, detail: message }], lookAgainAt: until };
}

export function verdictFor({ host, view, now }: Pick<Observed, 'host' | 'view' | 'now'>): Verdict {
  return verdictOn(recordOf(host), view, now);
}

function detailOf({ reason, step }: Verdict): string {
  return step === 'none' ? reasons[reason] : `${reasons[reason]} Next: ${hostSteps[step]}.`;
}
