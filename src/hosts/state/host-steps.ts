/** The steps that can be due for a host, and what a decision about a host says. */
import type { HostState } from '../../api/kinds/mac-host.ts';
import type { Reason } from '../../api/conditions/reasons.ts';

export const hostSteps = {
  none: 'nothing',
  promote: 'give the server the name of its machine',
  yield: 'let go of the claim: the server is of no use to the machine, or somebody else has taken it',
  wipe: 'ask for a wipe',
  'note-start': 'record that the wipe was seen to begin',
  park: 'give the server a pool name',
  'note-complete': 'record that the wipe was seen complete, and count it',
  offer: 'let go of the claim: the host is free',
  end: 'end the rent, or schedule its end',
  withdraw: 'drop the order: a live machine speaks for the host',
  'leave-to-person': 'let go of claim and order: a person gave the server its name',
  forget: 'forget the host: the provider does not know it any more',
} as const;
export type HostStep = keyof typeof hostSteps;

export interface Transition {
  readonly state: HostState;
  readonly reason: Reason;
  readonly step: HostStep;
}

export const rest = (state: HostState, reason: Reason = state): Transition => ({
  state,
  reason,
  step: 'none',
});

export const step = (state: HostState, next: HostStep, reason: Reason = state): Transition => ({
  state,
  reason,
  step: next,
});
