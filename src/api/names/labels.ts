/** Every label that Muster reads or writes. Keys under `tuist.dev/` are those of existing fleets and never change. */
import type { VocabularyEntry } from './vocabulary-entry.ts';

export const labels = {
  fleet: {
    key: 'tuist.dev/fleet',
    on: 'Node, Service, Secret',
    meaning: 'Fleet the machine belongs to. Pools of macOS runners choose their Nodes by it.',
  },
  runtime: {
    key: 'tuist.dev/runtime',
    on: 'Node',
    meaning: 'Runtime of Pods on the Node. Always `tart` on a Mac.',
  },
  managedBy: {
    key: 'tuist.dev/managed-by',
    on: 'Secret, ServiceAccount, ClusterRoleBinding',
    meaning: 'Made for a machine by the provider. Always `capi-scaleway-applesilicon`.',
  },
  machine: {
    key: 'tuist.dev/machine',
    on: 'Secret, ServiceAccount, ClusterRoleBinding',
    meaning: 'Name of the machine that the object was made for.',
  },
  runner: {
    key: 'tuist.dev/runner',
    on: 'Pod',
    meaning: 'A runner Pod. Always `true`; watches and network policies select on it.',
  },
  runnerPool: {
    key: 'tuist.dev/runner-pool',
    on: 'Pod, ServiceAccount, RunnerPool',
    meaning: 'Pool of the object. Dispatch trusts the copy on the ServiceAccount.',
  },
  runnerPoolUid: {
    key: 'muster.dev/runner-pool-uid',
    on: 'Pod, ServiceAccount',
    meaning:
      'Uid of the pool of the object. An owner reference is not used: a pool deleted in the foreground would delete working Pods with it.',
  },
  runnerPoolOwner: {
    key: 'tuist.dev/runner-pool-owner',
    on: 'Pod',
    meaning:
      'Account whose job the Pod was claimed for. A Pod with this label is busy and is not scaled down.',
  },
  runnerAccount: {
    key: 'tuist.dev/runner-account',
    on: 'Pod',
    meaning: 'Id of the account whose job the Pod was claimed for.',
  },
  runnerCacheUntrusted: {
    key: 'tuist.dev/runner-cache-untrusted',
    on: 'Pod',
    meaning:
      'The job is not proven to come from its own repository, so it has no access to the account cache.',
  },
  drainEligible: {
    key: 'tuist.dev/drain-eligible',
    on: 'Pod',
    meaning: 'The Pod has an old image and is replaced in the current wave.',
  },
  runnerOperatorDrain: {
    key: 'tuist.dev/runner-operator-drain',
    on: 'Pod',
    meaning: 'Set to `true` by an operator: the Pod gets no job and is removed. This cannot be undone.',
  },
  linuxPool: {
    key: 'node.cluster.x-k8s.io/pool',
    on: 'Node',
    meaning: 'Pool a Linux Node belongs to. Pools of Linux runners choose their Nodes by it.',
  },
  clusterName: {
    key: 'cluster.x-k8s.io/cluster-name',
    on: 'Secret, MachineDeployment, Machine',
    meaning: 'Cluster of the object. Cluster API does not find a kubeconfig Secret without it.',
  },
  contractV1Beta1: {
    key: 'cluster.x-k8s.io/v1beta1',
    on: 'CustomResourceDefinition',
    meaning: 'Version of the kind that supports Cluster API contract v1beta1.',
  },
  contractV1Beta2: {
    key: 'cluster.x-k8s.io/v1beta2',
    on: 'CustomResourceDefinition',
    meaning: 'Version of the kind that supports Cluster API contract v1beta2.',
  },
  appName: {
    key: 'app.kubernetes.io/name',
    on: 'CustomResourceDefinition, Pod, ServiceAccount',
    meaning: '`muster` on parts of Muster, `tuist-runner` on runner Pods and their ServiceAccounts.',
  },
  appComponent: {
    key: 'app.kubernetes.io/component',
    on: 'Pod, ServiceAccount',
    meaning:
      '`runner` on a runner Pod, `runner-sa` on its ServiceAccount, `tart-kubelet` on the identity of a Node.',
  },
} as const satisfies Readonly<Record<string, VocabularyEntry>>;
