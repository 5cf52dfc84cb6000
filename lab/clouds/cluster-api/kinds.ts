/** The four kinds of Cluster API, in version v1beta2 and with the fields that the stand-in uses. */
import type { Condition } from '../../../src/kube/reconciler/conditions.ts';
import type { KubeObject, Resource } from '../../../src/kube/client/kube-object.ts';

export const group = 'cluster.x-k8s.io';

/** Names no version: a label of the kind's CRD gives the version. */
export interface Reference {
  readonly apiGroup: string;
  readonly kind: string;
  readonly name: string;
}

export interface Endpoint {
  readonly host?: string;
  readonly port?: number;
}

export interface Cluster extends KubeObject {
  readonly spec: {
    readonly paused?: boolean;
    readonly controlPlaneEndpoint?: Endpoint;
    readonly infrastructureRef?: Reference;
    readonly controlPlaneRef?: Reference;
  };
  readonly status?: {
    readonly phase?: string;
    readonly initialization?: {
      readonly infrastructureProvisioned?: boolean;
      readonly controlPlaneInitialized?: boolean;
    };
    readonly conditions?: readonly Condition[];
  };
}

export interface MachineSpec {
  readonly clusterName: string;
  readonly version?: string;
  readonly failureDomain?: string;
  readonly providerID?: string;
  readonly bootstrap: { readonly dataSecretName?: string };
  readonly infrastructureRef: Reference;
}

export interface MachineTemplate {
  readonly metadata?: {
    readonly labels?: Readonly<Record<string, string>>;
    readonly annotations?: Readonly<Record<string, string>>;
  };
  readonly spec: MachineSpec;
}

export type DeletionOrder = 'Random' | 'Newest' | 'Oldest';

interface ReplicaCounts {
  readonly replicas?: number;
  readonly readyReplicas?: number;
  readonly availableReplicas?: number;
  readonly upToDateReplicas?: number;
}

interface Selector {
  readonly matchLabels?: Readonly<Record<string, string>>;
}

export interface MachineSet extends KubeObject {
  readonly spec: {
    readonly clusterName: string;
    readonly replicas: number;
    readonly selector: Selector;
    readonly deletion?: { readonly order?: DeletionOrder };
    readonly template: MachineTemplate;
  };
  readonly status?: ReplicaCounts & {
    readonly selector?: string;
    readonly observedGeneration?: number;
    readonly conditions?: readonly Condition[];
  };
}

export interface MachineDeployment extends KubeObject {
  readonly spec: MachineSet['spec'] & {
    readonly rollout?: { readonly strategy?: { readonly type?: string } };
  };
  readonly status?: NonNullable<MachineSet['status']> & { readonly phase?: string };
}

export interface Machine extends KubeObject {
  readonly spec: MachineSpec;
  readonly status?: {
    readonly phase?: string;
    readonly nodeRef?: { readonly name: string };
    readonly addresses?: readonly unknown[];
    readonly initialization?: { readonly infrastructureProvisioned?: boolean };
    readonly observedGeneration?: number;
    readonly conditions?: readonly Condition[];
  };
}

export const clusters: Resource<Cluster> = own('clusters', 'Cluster');
export const machineDeployments: Resource<MachineDeployment> = own('machinedeployments', 'MachineDeployment');
export const machineSets: Resource<MachineSet> = own('machinesets', 'MachineSet');
export const machines: Resource<Machine> = own('machines', 'Machine');

function own<T extends KubeObject>(plural: string, kind: string): Resource<T> {
  return { group, version: 'v1beta2', plural, kind, namespaced: true };
}

export const finalizers = {
  cluster: 'cluster.cluster.x-k8s.io',
  machineDeployment: 'cluster.x-k8s.io/machinedeployment',
  machineSet: 'cluster.x-k8s.io/machineset',
  machine: 'machine.cluster.x-k8s.io',
} as const;

export const labels = {
  cluster: 'cluster.x-k8s.io/cluster-name',
  deployment: 'cluster.x-k8s.io/deployment-name',
  set: 'cluster.x-k8s.io/set-name',
  templateHash: 'machine-template-hash',
} as const;

export const annotations = {
  paused: 'cluster.x-k8s.io/paused',
  deleteFirst: 'cluster.x-k8s.io/delete-machine',
  clonedFromName: 'cluster.x-k8s.io/cloned-from-name',
  clonedFromKind: 'cluster.x-k8s.io/cloned-from-groupkind',
  clusterOfNode: 'cluster.x-k8s.io/cluster-name',
  namespaceOfNode: 'cluster.x-k8s.io/cluster-namespace',
  machineOfNode: 'cluster.x-k8s.io/machine',
  ownerKindOfNode: 'cluster.x-k8s.io/owner-kind',
  ownerNameOfNode: 'cluster.x-k8s.io/owner-name',
} as const;
