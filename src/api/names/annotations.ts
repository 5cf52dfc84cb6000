/** Every annotation that Muster reads or writes. */
import type { VocabularyEntry } from './vocabulary-entry.ts';

export const annotations = {
  paused: {
    key: 'cluster.x-k8s.io/paused',
    on: 'ScalewayAppleSiliconMachine',
    meaning: 'Pauses the object, whatever the value. Deletion still proceeds.',
  },
  releasePolicy: {
    key: 'tuist.dev/release-policy',
    on: 'ScalewayAppleSiliconMachine',
    meaning:
      'What happens to the host when the machine is deleted: `terminate` ends its rent, any other value returns it to the pool.',
  },
  host: {
    key: 'muster.dev/host',
    on: 'ScalewayAppleSiliconMachine',
    meaning:
      'Id of the host that the machine claims or is about to claim. Written before the claim, so that a machine never holds two hosts.',
  },
  takenOff: {
    key: 'muster.dev/taken-off',
    on: 'ScalewayAppleSiliconMachine',
    meaning:
      'Host that the machine named although another machine owned it, and the time when that was cleared. Kept as a record.',
  },
  releaseSkipped: {
    key: 'muster.dev/release-skipped',
    on: 'MacHost',
    meaning: 'The machine that was deleted without releasing this host for want of a pool, and the time.',
  },
  hostGone: {
    key: 'muster.dev/host-gone',
    on: 'ScalewayAppleSiliconMachine',
    meaning:
      'Id of a server of the machine that an operator declares gone. The server has no MacHost, and the machine may be deleted without it.',
  },
  credentialsOf: {
    key: 'muster.dev/credentials-of',
    on: 'Secret',
    meaning: 'Id of the host of the credentials. A password of another host is dropped.',
  },
  sshKeyId: {
    key: 'scaleway.tuist.dev/ssh-key-id',
    on: 'Secret',
    meaning: "Scaleway's id of the SSH key in the fleet Secret.",
  },
  fleetHash: {
    key: 'tuist.dev/fleet-hash',
    on: 'Deployment',
    meaning: 'Hash of the Mac Nodes over which the Deployment was last spread. Set on the Pod template.',
  },
  stampedAt: {
    key: 'muster.dev/stamped-at',
    on: 'Pod',
    meaning: 'When the Pod was last claimed for a job of an account. Set and removed with the owner label.',
  },
  stampedFor: {
    key: 'muster.dev/stamped-for',
    on: 'Pod',
    meaning:
      'The claim for which the Pod was last stamped. Only the author of that claim may remove the stamp.',
  },
  servedFor: {
    key: 'muster.dev/served-for',
    on: 'Pod',
    meaning:
      'The claim for which the Pod was about to get a registration. Such a Pod never gets another registration, whatever the database shows.',
  },
  runtimeClassRevision: {
    key: 'tuist.dev/runtime-class-revision',
    on: 'RunnerPool, Pod',
    meaning: 'Revision of the runtime class. Linux Pods with another revision than their pool are replaced.',
  },
} as const satisfies Readonly<Record<string, VocabularyEntry>>;

/** The only value of the release policy that ends the rent of a host. */
export const terminatePolicy = 'terminate';
