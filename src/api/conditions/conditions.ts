/**
 * The condition types of each kind that has any, with the reasons each may carry. A controller writes no other: the
 * lists are closed, so that alerts can be written from this page.
 */
import { hostStates } from '../kinds/mac-host.ts';
import type { Reason } from './reasons.ts';

export interface ConditionType {
  readonly meaning: string;
  readonly reasons: readonly Reason[];
}

/** What keeps work from going on is different on each kind; it is the reason while the condition is True. */
const stalled = (...blockers: readonly Reason[]): ConditionType => ({
  meaning: 'True when work has stopped and only a person or a changed spec can help.',
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
    meaning: 'True when the machine has a host that is set up. It carries the reason of whatever is missing.',
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
    meaning: 'True while the machine gives its host up.',
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
    meaning: 'True while a person keeps Muster away from the machine.',
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
      meaning: 'True from the first visit on: there is nothing to build.',
      reasons: ['NotYetObserved', 'NothingToProvision'],
    },
  },
  MusterControlPlane: {
    Ready: {
      meaning: 'True from the first visit on: the control plane is run by something else.',
      reasons: ['NotYetObserved', 'ManagedElsewhere'],
    },
  },
  MacHost: {
    Ready: {
      meaning: 'True while the host is free or serves its owner. The reason is the state of the host.',
      reasons: ['NotYetObserved', ...hostStates, 'InternalError'],
    },
    Stalled: stalled('Broken', 'Stranded', 'Quarantined', 'BackingOff'),
  },
  RunnerPool: {
    Ready: {
      meaning:
        'True when the pool has as many Pods as it should. Else the reason says what keeps it from them.',
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
