/** Every finalizer that Muster sets. Each keeps its object until its clean-up was observed. */
import type { VocabularyEntry } from './vocabulary-entry.ts';

export const finalizers = {
  machine: {
    key: 'scalewayapplesilicon.cluster.x-k8s.io/finalizer',
    on: 'ScalewayAppleSiliconMachine',
    meaning: 'Stays until the release order is stored on the MacHost.',
  },
  hold: {
    key: 'muster.dev/held',
    on: 'MacHost',
    meaning:
      'Stays while an operator holds the host, because only the MacHost records the hold. If the MacHost is deleted meanwhile, ' +
      'the finalizer stays until the MacHost has no claim and no order.',
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
