/** Every label Muster reads or writes. Keys under `tuist.dev/` are those of existing fleets and never change. */
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
    meaning: 'What runs Pods on the Node. Always `tart` on a Mac.',
  },
  managedBy: {
    key: 'tuist.dev/managed-by',
    on: 'Secret, ServiceAccount, ClusterRoleBinding',
    meaning: 'Made for a machine by the provider. Always `capi-scaleway-applesilicon`.',
  },
  machine: {
    key: 'tuist.dev/machine',
    on: 'Secret, ServiceAccount, ClusterRoleBinding',
    meaning: 'Name of the machine it was made for.',
  },
  runner: {
    key: 'tuist.dev/runner',
    on: 'Pod',
    meaning: 'A runner Pod. Always `true`; watches and network policies select on it.',
  },
  runnerPool: {
    key: 'tuist.dev/runner-pool',
    on: 'Pod, ServiceAccount, RunnerPool',
    meaning: 'Pool it belongs to. Dispatch trusts the copy on the ServiceAccount.',
  },
  runnerPoolUid: {
    key: 'muster.dev/runner-pool-uid',
    on: 'Pod, ServiceAccount',
    meaning:
      'Uid of the pool that it was made for. It has no owner reference: a pool that is deleted in the foreground would take Pods at work with it.',
  },
  runnerPoolOwner: {
    key: 'tuist.dev/runner-pool-owner',
    on: 'Pod',
    meaning: 'Account whose job the Pod was claimed for. A Pod that has it is busy and is not scaled down.',
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
      'The job is not proven to come from its own repository, so the account cache stays out of its reach.',
  },
  drainEligible: {
    key: 'tuist.dev/drain-eligible',
    on: 'Pod',
    meaning: 'The Pod has an old image and was chosen to be replaced in the present wave.',
  },
  runnerOperatorDrain: {
    key: 'tuist.dev/runner-operator-drain',
    on: 'Pod',
    meaning: 'Set to `true` by a person: give this Pod no job and retire it. It cannot be taken back.',
  },
  linuxPool: {
    key: 'node.cluster.x-k8s.io/pool',
    on: 'Node',
    meaning: 'Pool a Linux Node belongs to. Pools of Linux runners choose their Nodes by it.',
  },
  clusterName: {
    key: 'cluster.x-k8s.io/cluster-name',
    on: 'Secret, MachineDeployment, Machine',
    meaning: 'Cluster it belongs to. Cluster API does not find a kubeconfig Secret without it.',
  },
  contractV1Beta1: {
    key: 'cluster.x-k8s.io/v1beta1',
    on: 'CustomResourceDefinition',
    meaning: 'Version of the kind that speaks Cluster API contract v1beta1.',
  },
  contractV1Beta2: {
    key: 'cluster.x-k8s.io/v1beta2',
    on: 'CustomResourceDefinition',
    meaning: 'Version of the kind that speaks Cluster API contract v1beta2.',
  },
  appName: {
    key: 'app.kubernetes.io/name',
    on: 'CustomResourceDefinition, Pod, ServiceAccount',
    meaning:
      '`muster` on what Muster itself consists of, `tuist-runner` on runner Pods and their ServiceAccounts.',
  },
  appComponent: {
    key: 'app.kubernetes.io/component',
    on: 'Pod, ServiceAccount',
    meaning:
      '`runner` on a runner Pod, `runner-sa` on its ServiceAccount, `tart-kubelet` on the identity of a Node.',
  },
} as const satisfies Readonly<Record<string, VocabularyEntry>>;
