/**
 * The CRDs of the four kinds of Cluster API, for a server without the real ones: structural, with the fields that the
 * stand-in uses. Other fields are pruned, and only the supported strategy is valid.
 */
import type { KubeClient } from '../../../src/kube/client/client.ts';
import type { KubeObject, Resource } from '../../../src/kube/client/kube-object.ts';
import { clusters, group, machineDeployments, machines, machineSets } from './kinds.ts';

interface Schema {
  readonly type: string;
  readonly [keyword: string]: unknown;
}

const text: Schema = { type: 'string' };
const flag: Schema = { type: 'boolean' };
const count: Schema = { type: 'integer', format: 'int32', minimum: 0 };
const big: Schema = { type: 'integer', format: 'int64' };
const texts: Schema = { type: 'object', additionalProperties: text };

function object(properties: Readonly<Record<string, Schema>>, ...required: readonly string[]): Schema {
  return { type: 'object', properties, ...(required.length > 0 && { required }) };
}

const reference = object({ apiGroup: text, kind: text, name: text }, 'apiGroup', 'kind', 'name');
const condition = object(
  {
    type: text,
    status: { ...text, enum: ['True', 'False', 'Unknown'] },
    reason: text,
    message: text,
    observedGeneration: big,
    lastTransitionTime: { ...text, format: 'date-time' },
  },
  'type',
  'status',
  'reason',
  'lastTransitionTime',
);
const conditions: Schema = {
  type: 'array',
  items: condition,
  'x-kubernetes-list-type': 'map',
  'x-kubernetes-list-map-keys': ['type'],
};
const machineSpec = object(
  {
    clusterName: text,
    version: text,
    failureDomain: text,
    providerID: text,
    bootstrap: object({ dataSecretName: text }),
    infrastructureRef: reference,
  },
  'clusterName',
  'bootstrap',
  'infrastructureRef',
);
const counts = {
  replicas: count,
  readyReplicas: count,
  availableReplicas: count,
  upToDateReplicas: count,
  selector: text,
  observedGeneration: big,
  conditions,
};
const setFields = {
  clusterName: text,
  replicas: { ...count, default: 1 },
  selector: object({ matchLabels: texts }),
  deletion: object({ order: { ...text, enum: ['Random', 'Newest', 'Oldest'] } }),
  template: object({ metadata: object({ labels: texts, annotations: texts }), spec: machineSpec }, 'spec'),
};
const strategy = object({ type: { ...text, enum: ['OnDelete'] } }, 'type');
const setRequired = ['clusterName', 'selector', 'template'];
const scale = {
  specReplicasPath: '.spec.replicas',
  statusReplicasPath: '.status.replicas',
  labelSelectorPath: '.status.selector',
};

/** Short names, equal to those of the real CRDs. */
const shortNames: Readonly<Record<string, string>> = {
  Cluster: 'cl',
  MachineDeployment: 'md',
  MachineSet: 'ms',
  Machine: 'ma',
};

/** The definitions in the form of an apply. */
export const clusterApiDefinitions: readonly Definition[] = [
  definition(clusters, {
    spec: object({
      paused: flag,
      controlPlaneEndpoint: object({ host: text, port: count }),
      infrastructureRef: reference,
      controlPlaneRef: reference,
    }),
    status: object({
      phase: text,
      initialization: object({ infrastructureProvisioned: flag, controlPlaneInitialized: flag }),
      conditions,
    }),
  }),
  definition(machineDeployments, {
    spec: object({ ...setFields, rollout: object({ strategy }, 'strategy') }, ...setRequired, 'rollout'),
    status: object(counts),
    scale,
  }),
  definition(machineSets, { spec: object(setFields, ...setRequired), status: object(counts), scale }),
  definition(machines, {
    spec: machineSpec,
    status: object({
      phase: text,
      nodeRef: object({ name: text }, 'name'),
      addresses: { type: 'array', items: object({ type: text, address: text }, 'type', 'address') },
      initialization: object({ infrastructureProvisioned: flag }),
      observedGeneration: big,
      conditions,
    }),
  }),
];

export const definitionKind: Resource<Definition & KubeObject> = {
  group: 'apiextensions.k8s.io',
  version: 'v1',
  plural: 'customresourcedefinitions',
  kind: 'CustomResourceDefinition',
  namespaced: false,
};

/** A definition, reduced to the fields that are read. */
export interface Definition {
  readonly apiVersion: string;
  readonly kind: string;
  readonly metadata: { readonly name: string; readonly labels?: Readonly<Record<string, string>> };
  readonly spec: {
    readonly group: string;
    readonly scope: string;
    readonly names: Names;
    readonly versions: readonly unknown[];
  };
}

interface Names {
  readonly kind: string;
  readonly plural: string;
  readonly singular?: string;
  readonly shortNames?: readonly string[];
  readonly listKind?: string;
}

/** Applied, not created: a later version finds the definitions of an earlier version. */
export async function installClusterApi(client: KubeClient): Promise<void> {
  for (const one of clusterApiDefinitions)
    await client.patch(definitionKind, { name: one.metadata.name }, { apply: one, force: true });
}

interface Shape {
  readonly spec: Schema;
  readonly status: Schema;
  readonly scale?: object;
}

function definition({ plural, kind, version }: Resource, { spec, status, scale: scaled }: Shape): Definition {
  const openAPIV3Schema = object({ spec, status }, 'spec');
  const subresources = { status: {}, ...(scaled !== undefined && { scale: scaled }) };
  const served = {
    name: version,
    served: true,
    storage: true,
    subresources,
    additionalPrinterColumns: columnsOf(scaled !== undefined),
    schema: { openAPIV3Schema },
  };
  return {
    apiVersion: 'apiextensions.k8s.io/v1',
    kind: 'CustomResourceDefinition',
    metadata: { name: `${plural}.${group}` },
    spec: {
      group,
      scope: 'Namespaced',
      versions: [served],
      names: {
        kind,
        plural,
        singular: kind.toLowerCase(),
        listKind: `${kind}List`,
        shortNames: [shortNames[kind] ?? kind.toLowerCase()],
      },
    },
  };
}

function columnsOf(isScaled: boolean): readonly object[] {
  const columns = [
    { name: 'Desired', type: 'integer', jsonPath: '.spec.replicas' },
    { name: 'Current', type: 'integer', jsonPath: '.status.replicas' },
    { name: 'Ready', type: 'integer', jsonPath: '.status.readyReplicas' },
  ];
  const phase = { name: 'Phase', type: 'string', jsonPath: '.status.phase' };
  const age = { name: 'Age', type: 'date', jsonPath: '.metadata.creationTimestamp' };
  return [...(isScaled ? columns : [phase]), age];
}
