/** The input of the decision about a machine, and the decision. */
import type { Reason } from '../../api/conditions/reasons.ts';
import type { MacHostObject, MachineObject } from '../state/objects.ts';
import type { Release } from '../state/release-policy.ts';
import type { NamedServer } from '../state/candidates.ts';
import type { PoolRules } from './adoption/host-requirements.ts';

/** State of the Cluster API objects that own the machine, if there are any. */
export type ClusterReadiness = 'ready' | 'paused' | 'not-ready';

export interface Observed extends PoolRules {
  readonly now: number;
  readonly machine: MachineObject;
  /** The host that the machine names, or still has to release, if its MacHost exists. */
  readonly host: MacHostObject | undefined;
  /** The host that only the providerID names, if its MacHost exists. */
  readonly forgotten?: MacHostObject | undefined;
  /** Other live machines speak for this host. */
  readonly isShared: boolean;
  /** Other live machines are bound to this host by their status. */
  readonly isServingOthers: boolean;
  /** The machine lost its claim on this host, and may claim it again. */
  readonly mayClaimAgain?: boolean;
  /** Hosts whose servers already have the name of the machine. */
  readonly named: readonly NamedServer[];
  /** A host that an operator took off the paused machine, without a hold yet. */
  readonly toHold?: string | undefined;
  /** An operator cleared the server id of the machine while the machine is paused. */
  readonly isTakenOff?: boolean;
  /** A host that a cleared machine names and that no inventory has shown yet. */
  readonly unseen?: string | undefined;
  /** A host that is held for this machine. */
  readonly heldFor?: string | undefined;
  /** A person gave the server of `host` its name. */
  readonly isNamedByPerson: boolean;
  /** All hosts, for a machine without one. Free hosts that another machine is about to claim are left out. */
  readonly hosts: readonly MacHostObject[];
  readonly clusterReadiness: ClusterReadiness;
  /** The zone was listed completely. Before that, a missing MacHost proves nothing. */
  readonly isListed: boolean;
  /** An older machine of the same name in another namespace. */
  readonly namesake?: string | undefined;
}

export type Action =
  /** Adds the finalizer. A machine without it could be deleted and leave its host behind. */
  | { readonly kind: 'add-finalizer' }
  /** Names the host to claim; the same write adds the finalizer. */
  | { readonly kind: 'intend'; readonly hostId: string }
  | { readonly kind: 'claim'; readonly hostId: string }
  /** Restores `status.serverID`, which was lost. */
  | { readonly kind: 'restore-binding'; readonly hostId: string }
  /** Records the provisioned host: server id, addresses, credentials. */
  | { readonly kind: 'publish-host' }
  | { readonly kind: 'give-up'; readonly hostId: string; readonly release: Release | NotReleased }
  /** Holds a host that an operator took off the machine, until the hold is lifted. */
  | { readonly kind: 'hold'; readonly hostId: string }
  /** Binds an unpaused machine to its held host again. */
  | { readonly kind: 'resume'; readonly hostId: string }
  | { readonly kind: 'remove-finalizer' };

/** The host is not wiped: other machines use it, or a person took it. */
interface NotReleased {
  readonly kind: 'others' | 'person';
}

export interface Decision {
  readonly reason: Reason;
  readonly detail: string;
  readonly action?: Action;
  readonly lookAgainMs?: number;
  /** The decision knows nothing new, so the conditions stay. */
  readonly isSilent?: true;
}

/** The actions that end the machine's tie to a host. */
export type GiveUpAction = Extract<Action, { kind: 'give-up' | 'hold' | 'remove-finalizer' }>;

export function isGivingUp(action: Action): action is GiveUpAction {
  return action.kind === 'give-up' || action.kind === 'hold' || action.kind === 'remove-finalizer';
}

/** How long a machine waits for its next reconcile, by what the machine waits for. */
export const waits = { forHost: 60_000, forPerson: 5 * 60_000, forCluster: 5000, forStep: 15_000 };
