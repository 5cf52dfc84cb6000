/** One host under the rules: what is wanted of it, what was seen, and what they say is to be done. */
import { nameClassOf, seenOf, wantedOf } from '../../fleet/host-situation.ts';
import { cellText, hostSteps, verdictOn } from '../../fleet/host-table.ts';
import type { FleetHost } from './fleet-objects.ts';
import type { Fleet } from './fleet-state.ts';
import { meaningOf, seenWords, wantedWords } from './words.ts';

export interface JudgedHost {
  readonly wanted: string;
  readonly seen: string;
  readonly name: string;
  /** What stands in the table for this pair. */
  readonly cell: string;
  readonly state: ReturnType<typeof verdictOn>['state'];
  readonly reason: string;
  readonly step: keyof typeof hostSteps;
  readonly words: {
    readonly wanted: string;
    readonly seen: string;
    readonly step: string;
    readonly reason: string;
  };
}

export function judgedHost(host: FleetHost, { view, now }: Fleet): JudgedHost {
  const [wanted, seen] = [wantedOf(host, view), seenOf(host)];
  const { state, reason, step } = verdictOn(host, view, now);
  return {
    wanted,
    seen,
    name: nameClassOf(host, view),
    cell: cellText(wanted, seen),
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
