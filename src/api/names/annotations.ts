/** Every annotation Muster reads or writes. */
import type { VocabularyEntry } from './vocabulary-entry.ts';

export const annotations = {
  paused: {
    key: 'cluster.x-k8s.io/paused',
    on: 'ScalewayAppleSiliconMachine',
    meaning: 'Leave this object alone, whatever the value is. Deletion still goes ahead.',
  },
  releasePolicy: {
    key: 'tuist.dev/release-policy',
    on: 'ScalewayAppleSiliconMachine',
    meaning:
      'What becomes of the host when the machine is deleted: `terminate` ends its rent, anything else returns it to the pool.',
  },
  host: {
    key: 'muster.dev/host',
    on: 'ScalewayAppleSiliconMachine',
    meaning:
      'Id of the host that the machine claims or is about to claim. Written before the claim, so that a machine never holds two.',
  },
  takenOff: {
    key: 'muster.dev/taken-off',
    on: 'ScalewayAppleSiliconMachine',
    meaning:
      'Host that the machine named although another machine owned it, and when that was cleared. Kept as a record.',
  },
  releaseSkipped: {
    key: 'muster.dev/release-skipped',
    on: 'MacHost',
    meaning: 'When a machine went without giving this host back, because it had no pool to give it back to.',
  },
  hostGone: {
    key: 'muster.dev/host-gone',
    on: 'ScalewayAppleSiliconMachine',
    meaning:
      'Id of the server that the machine had and that a person calls gone for good: it has no MacHost, and the machine may go without it.',
  },
  credentialsOf: {
    key: 'muster.dev/credentials-of',
    on: 'Secret',
    meaning: 'Id of the host that the credentials are for: a password of another host is not kept.',
  },
  sshKeyId: {
    key: 'scaleway.tuist.dev/ssh-key-id',
    on: 'Secret',
    meaning: "Scaleway's id of the SSH key that the fleet Secret holds.",
  },
  fleetHash: {
    key: 'tuist.dev/fleet-hash',
    on: 'Deployment',
    meaning: 'Set of Mac Nodes the Deployment was last spread over. It stands on the Pod template.',
  },
  stampedAt: {
    key: 'muster.dev/stamped-at',
    on: 'Pod',
    meaning: 'When the Pod was last claimed for a job of somebody. It stands and goes with the owner label.',
  },
  stampedFor: {
    key: 'muster.dev/stamped-for',
    on: 'Pod',
    meaning:
      'The claim that the Pod was last stamped for: whoever made that claim may take the stamp off again, and nobody who comes late.',
  },
  servedFor: {
    key: 'muster.dev/served-for',
    on: 'Pod',
    meaning:
      'The claim that the Pod was about to be handed a registration for. Such a Pod is never handed another one, whatever the database says.',
  },
  runtimeClassRevision: {
    key: 'tuist.dev/runtime-class-revision',
    on: 'RunnerPool, Pod',
    meaning: 'Revision of the runtime class. Linux Pods with another one than their pool are replaced.',
  },
} as const satisfies Readonly<Record<string, VocabularyEntry>>;

/** The one value of the release policy that ends the rent of a host. */
export const terminatePolicy = 'terminate';
