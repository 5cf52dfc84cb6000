/** Every finalizer Muster sets. Each holds its object until the clean-up it stands for was seen to be done. */
import type { VocabularyEntry } from './vocabulary-entry.ts';

export const finalizers = {
  machine: {
    key: 'scalewayapplesilicon.cluster.x-k8s.io/finalizer',
    on: 'ScalewayAppleSiliconMachine',
    meaning: 'Stays until the MacHost durably carries the order to release the host.',
  },
  hold: {
    key: 'muster.dev/held',
    on: 'MacHost',
    meaning:
      'Stays while a person keeps the host aside: without its MacHost nobody would know. Where the MacHost was deleted meanwhile, ' +
      'it stays until that has no claim and no order any more.',
  },
  runnerPoolDrain: {
    key: 'tuist.dev/runner-pool-drain',
    on: 'RunnerPool',
    meaning: 'Stays until no Pod of the pool runs a job.',
  },
  vmCleanup: {
    key: 'tart-kubelet.tuist.dev/vm-cleanup',
    on: 'Pod',
    meaning: 'Stays until the VM of the Pod is gone from its Mac.',
  },
} as const satisfies Readonly<Record<string, VocabularyEntry>>;
