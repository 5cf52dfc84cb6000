/** What is done about one host: the step that the table gives for it, and why. */
import { verdictOn, hostSteps, type HostStep, type Verdict } from '../../fleet/host-table.ts';
import type { FleetView } from '../../fleet/host-situation.ts';
import { recordOf, type MacHostObject } from '../../fleet/objects.ts';
import { reasons } from '../../api/reasons.ts';
import type { Plan } from '../../runtime/controller/plan.ts';

export interface Observed {
  readonly now: number;
  readonly host: MacHostObject;
  readonly view: FleetView;
}

export interface Action {
  readonly kind: Exclude<HostStep, 'none'>;
}

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
  const { host, now } = observed;
  const verdict = verdictFor(observed);
  const { state, reason, step } = verdict;
  const isAtRest = step === 'none' && settled.has(state);
  return {
    actions: step === 'none' ? [] : [{ kind: step }],
    notes: [{ subject: host.metadata.name, reason, detail: detailOf(verdict) }],
    ...(!isAtRest && { lookAgainAt: now + lookAgainMs }),
  };
}

export function verdictFor({ host, view, now }: Observed): Verdict {
  return verdictOn(recordOf(host), view, now);
}

function detailOf({ reason, step }: Verdict): string {
  return step === 'none' ? reasons[reason] : `${reasons[reason]} Next: ${hostSteps[step]}.`;
}
