/** The steps of the state machine of a host, and the transition that a decision returns. */
import type { HostState } from '../../api/kinds/mac-host.ts';
import type { Reason } from '../../api/conditions/reasons.ts';

export const hostSteps = {
  none: 'nothing',
  'rename-to-machine': 'give the server the name of its machine',
  'drop-claim': 'drop the claim: the machine cannot use the server, or another tool took it',
  wipe: 'request a wipe',
  'record-wipe-start': 'record that the wipe began',
  'rename-to-pool': 'give the server a pool name',
  'record-wipe-completion': 'record that the wipe completed, and count it',
  'return-to-pool': 'drop the claim: the host is free',
  terminate: 'end the rent, or schedule its end',
  'cancel-order': 'drop the order: a live machine speaks for the host',
  'leave-to-person': 'drop the claim and the order: a person renamed the server',
  'delete-record': 'delete the MacHost: the provider no longer knows the server',
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
