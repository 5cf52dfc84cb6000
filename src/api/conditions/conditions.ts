/**
 * The condition types of each kind, with the reasons that each may have. The lists are closed, so that alerts can
 * rely on them.
 */
import { hostStates } from '../kinds/mac-host.ts';
import type { Reason } from './reasons.ts';

export interface ConditionType {
  readonly meaning: string;
  readonly reasons: readonly Reason[];
}

/** The blocking reasons differ by kind; one of them is the reason while the condition is True. */
const stalled = (...blockers: readonly Reason[]): ConditionType => ({
  meaning: 'True when work has stopped until a person acts or the spec changes.',
  reasons: ['NotYetObserved', 'Progressing', ...blockers],
});

const provisionedReasons = [
  'NotYetObserved',
  'Adopting',
  'Provisioned',
  'NoAdoptPoolPrefix',
  'InvalidOSPin',
  'NoAvailableHost',
  'ScalewayAdoptFailed',
  'ScalewayCreateFailed',
  'CredentialsPersistFailed',
  'MissingSudoPassword',
  'HostReleased',
] as const satisfies readonly Reason[];

const bootstrappedReasons = [
  'NotYetObserved',
  'Bootstrapping',
  'Bootstrapped',
  'BootstrapFailed',
  'SSHKeyUnavailable',
  'CredentialsRefreshFailed',
  'MissingSudoPassword',
  'NodeMissing',
  'NodeIdentityUnavailable',
  'KubeconfigUnavailable',
  'TailscaleAuthKeyUnavailable',
  'GHRunnerRegistrationTokenUnavailable',
  'CachePrivateNetworkUnavailable',
] as const satisfies readonly Reason[];

const machineConditions = {
  Ready: {
    meaning: 'True when the machine has a host that is set up. Otherwise the reason names what is missing.',
    reasons: [
      ...new Set([
        'AllConditionsMet' as const,
        ...provisionedReasons,
        ...bootstrappedReasons,
        'InternalError' as const,
      ]),
    ],
  },
  Provisioned: { meaning: 'True when a host is adopted for the machine.', reasons: provisionedReasons },
  Bootstrapped: { meaning: 'True when the host is set up as a Node.', reasons: bootstrappedReasons },
  Releasing: {
    meaning: 'True while the machine releases its host.',
    reasons: [
      'NotYetObserved',
      'NotReleasing',
      'Releasing',
      'ReleaseFailed',
      'ReleaseSkipped',
      'Deleting',
      'DeleteFailed',
    ],
  },
  Paused: {
    meaning: 'True while an operator has paused the machine.',
    reasons: ['NotYetObserved', 'Paused', 'NotPaused'],
  },
  Stalled: stalled(
    'NoAdoptPoolPrefix',
    'InvalidOSPin',
    'MissingSudoPassword',
    'TartKubeletUpdateExceededRetries',
  ),
} as const satisfies Readonly<Record<string, ConditionType>>;

export const conditionTypes = {
  ScalewayAppleSiliconMachine: machineConditions,
  ScalewayAppleSiliconCluster: {
    Ready: {
      meaning: 'True from the first reconcile on: there is nothing to build.',
      reasons: ['NotYetObserved', 'NothingToProvision'],
    },
  },
  MusterControlPlane: {
    Ready: {
      meaning: 'True from the first reconcile on: the control plane is managed elsewhere.',
      reasons: ['NotYetObserved', 'ManagedElsewhere'],
    },
  },
  MacHost: {
    Ready: {
      meaning: 'True while the host is free or owned. The reason is the state of the host.',
      reasons: ['NotYetObserved', ...hostStates, 'InternalError'],
    },
    Stalled: stalled('Broken', 'Stranded', 'Quarantined', 'BackingOff'),
  },
  RunnerPool: {
    Ready: {
      meaning: 'True when the pool has the desired number of Pods. Otherwise the reason names the cause.',
      reasons: [
        'NotYetObserved',
        'ReplicasMet',
        'ReplicasMissing',
        'RunnerPodsEndEarly',
        'NoHealthyNode',
        'FleetCap',
        'FleetViewError',
        'Draining',
        'RuntimeClassRefused',
        'WindowRefused',
        'InternalError',
      ],
    },
    Stalled: stalled('RuntimeClassRefused', 'WindowRefused'),
  },
} as const satisfies Readonly<Record<string, Readonly<Record<string, ConditionType>>>>;
