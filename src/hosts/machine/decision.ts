/** What is known of a machine when it is decided about, and what a decision is. */
import type { Reason } from '../../api/conditions/reasons.ts';
import type { MacHostObject, MachineObject } from '../state/objects.ts';
import type { Release } from '../state/release-policy.ts';
import type { NamedServer } from './own-name.ts';
import type { PoolRules } from './host-requirements.ts';

/** Of the Cluster API objects above the machine, if there are any. */
export type Gate = 'open' | 'paused' | 'not-ready';

export interface Observed extends PoolRules {
  readonly now: number;
  readonly machine: MachineObject;
  /** The host that the machine means, or has yet to give up, if there is such an object. */
  readonly host: MacHostObject | undefined;
  /** The one that served it by its spec alone, if there is such an object. */
  readonly forgotten?: MacHostObject | undefined;
  /** Other machines that stay speak for this host, too. */
  readonly isShared: boolean;
  /** Other machines that stay say in their status that they are served by this host. */
  readonly isServingOthers: boolean;
  /** The machine lost its claim on this host, and nothing else speaks against the claim. */
  readonly mayClaimAgain?: boolean;
  /** Hosts that already carry the name of the machine. */
  readonly named: readonly NamedServer[];
  /** A host that an operator took off the paused machine, and that is not held yet. */
  readonly toHold?: string | undefined;
  /** An operator cleared the server id of the machine while the machine is paused. */
  readonly isTakenOff?: boolean;
  /** A host that a machine taken off it names, and that no inventory has shown yet. */
  readonly unseen?: string | undefined;
  /** A host that is held for this machine. */
  readonly heldFor?: string | undefined;
  /** A person gave the server of `host` its name. */
  readonly isNamedByPerson: boolean;
  /** Every host, for one that has none yet. Free ones that another machine is about to take are left out. */
  readonly hosts: readonly MacHostObject[];
  readonly gate: Gate;
  /** An inventory of its zone was taken up; before that, a host without an object may exist all the same. */
  readonly isListed: boolean;
  /** A machine of the same name in another namespace that came first. */
  readonly namesake?: string | undefined;
}

export type Action =
  /** Put the finalizer on it, without which it could go and leave its host behind. */
  | { readonly kind: 'guard' }
  /** Say which host it is going to claim; the finalizer is stored with it. */
  | { readonly kind: 'intend'; readonly hostId: string }
  | { readonly kind: 'claim'; readonly hostId: string }
  /** Say again which host served it: its status was lost. */
  | { readonly kind: 'recall'; readonly hostId: string }
  /** Write down what the machine has: host, addresses, credentials. */
  | { readonly kind: 'record' }
  | { readonly kind: 'give-up'; readonly hostId: string; readonly release: Release | NotReleased }
  /** An operator took the machine off this host: nothing is done to the host until a person lets it go. */
  | { readonly kind: 'hold'; readonly hostId: string }
  /** The operator unpaused the machine: it has its host back. */
  | { readonly kind: 'resume'; readonly hostId: string }
  | { readonly kind: 'let-go' };

/** It is not wiped: it goes on serving other machines, or a person took it. */
interface NotReleased {
  readonly kind: 'others' | 'person';
}

export interface Decision {
  readonly reason: Reason;
  readonly detail: string;
  readonly action?: Action;
  readonly lookAgainMs?: number;
  /** It knows nothing new: what the machine says already stays. */
  readonly isSilent?: true;
}

/** What a machine does to a host that it will not keep. */
export type GiveUpAction = Extract<Action, { kind: 'give-up' | 'hold' | 'let-go' }>;

export function isGivingUp(action: Action): action is GiveUpAction {
  return action.kind === 'give-up' || action.kind === 'hold' || action.kind === 'let-go';
}
