/** One host under the rules: desired state, observed state, and the next step. */
import { nameClassOf, observedState, desiredState } from '../../hosts/state/host-state.ts';
import { hostSteps } from '../../hosts/state/host-steps.ts';
import { transitionText, nextTransition } from '../../hosts/state/host-state-machine.ts';
import type { FleetHost } from './fleet-objects.ts';
import type { Fleet } from './fleet-state.ts';
import { meaningOf, seenWords, wantedWords } from './phrases.ts';

export interface EvaluatedHost {
  readonly wanted: string;
  readonly seen: string;
  readonly name: string;
  /** The cell of the transition table for this pair. */
  readonly cell: string;
  /** The pair, the name class where it decides, and the result. */
  readonly rule: string;
  readonly state: ReturnType<typeof nextTransition>['state'];
  readonly reason: string;
  readonly step: keyof typeof hostSteps;
  readonly words: {
    readonly wanted: string;
    readonly seen: string;
    readonly step: string;
    readonly reason: string;
  };
}

export function evaluatedHost(host: FleetHost, { view, now }: Fleet): EvaluatedHost {
  const ownership = view.ownershipOf(host);
  const [wanted, seen] = [desiredState(host, ownership), observedState(host)];
  const { state, reason, step } = nextTransition(host, view, now);
  const name = nameClassOf(host, ownership, view);
  const cell = transitionText(wanted, seen);
  const due = step === 'none' ? state : `${state}: ${hostSteps[step]}`;
  return {
    wanted,
    seen,
    name,
    cell,
    rule: cell.startsWith(state)
      ? `${wanted} × ${seen} → ${cell}`
      : `${wanted} × ${seen} × name ${name} → ${due}`,
    state,
    reason,
    step,
    words: {
      wanted: wantedWords[wanted],
      seen: seenWords[seen],
      step: hostSteps[step],
      reason: meaningOf(reason),
    },
  };
}
