import { describe, expect, it } from 'vitest';

import { crd } from './crd.ts';
import type { Kind } from '../kinds/kind.ts';
import { kinds } from '../kinds/kinds.ts';

const contractLabels = { 'cluster.x-k8s.io/v1beta1': 'v1alpha1', 'cluster.x-k8s.io/v1beta2': 'v1alpha1' };
const ours = { 'app.kubernetes.io/name': 'muster' };
const age = 'Age date .metadata.creationTimestamp';

/** The parts of the definitions on which operators and Cluster API core depend. */
function facts(kind: Kind) {
  const { metadata, spec } = crd(kind);
  const [version] = spec.versions;
  const schema = version.schema.openAPIV3Schema;
  return {
    name: metadata.name,
    labels: metadata.labels,
    kind: spec.names.kind,
    listKind: spec.names.listKind,
    singular: spec.names.singular,
    shortNames: spec.names.shortNames,
    categories: spec.names.categories ?? [],
    scope: spec.scope,
    status: version.subresources !== undefined,
    columns: (version.additionalPrinterColumns ?? []).map(({ name, type, jsonPath, priority }) =>
      [name, type, jsonPath, ...(priority === undefined ? [] : [`priority ${priority}`])].join(' '),
    ),
    required: schema.required ?? [],
    specDefault: schema.properties?.['spec']?.default,
    specRequired: schema.properties?.['spec']?.required ?? [],
  };
}

describe('custom resource definitions', () => {
  it('have the names, labels and columns existing fleets and Cluster API depend on', () => {
    expect(kinds.map(facts)).toEqual([
      {
        name: 'scalewayapplesiliconmachines.infrastructure.cluster.x-k8s.io',
        labels: { ...ours, ...contractLabels },
        kind: 'ScalewayAppleSiliconMachine',
        listKind: 'ScalewayAppleSiliconMachineList',
        singular: 'scalewayapplesiliconmachine',
        shortNames: ['samm'],
        categories: ['cluster-api'],
        scope: 'Namespaced',
        status: true,
        columns: [
          'Phase string .status.phase',
          'ProviderID string .spec.providerID',
          'Ready boolean .status.ready',
          age,
        ],
        required: [],
        specDefault: {},
        specRequired: [],
      },
      {
        name: 'scalewayapplesiliconmachinetemplates.infrastructure.cluster.x-k8s.io',
        labels: { ...ours, ...contractLabels },
        kind: 'ScalewayAppleSiliconMachineTemplate',
        listKind: 'ScalewayAppleSiliconMachineTemplateList',
        singular: 'scalewayapplesiliconmachinetemplate',
        shortNames: ['sammt'],
        categories: ['cluster-api'],
        scope: 'Namespaced',
        status: false,
        columns: [],
        required: ['spec'],
        specDefault: undefined,
        specRequired: ['template'],
      },
      {
        name: 'scalewayapplesiliconclusters.infrastructure.cluster.x-k8s.io',
        labels: { ...ours, ...contractLabels },
        kind: 'ScalewayAppleSiliconCluster',
        listKind: 'ScalewayAppleSiliconClusterList',
        singular: 'scalewayapplesiliconcluster',
        shortNames: ['sasc'],
        categories: ['cluster-api'],
        scope: 'Namespaced',
        status: true,
        columns: ['Endpoint string .spec.controlPlaneEndpoint.host', 'Ready boolean .status.ready'],
        required: [],
        specDefault: {},
        specRequired: [],
      },
      {
        name: 'mustercontrolplanes.controlplane.cluster.x-k8s.io',
        labels: { ...ours, ...contractLabels },
        kind: 'MusterControlPlane',
        listKind: 'MusterControlPlaneList',
        singular: 'mustercontrolplane',
        shortNames: ['mucp'],
        categories: ['cluster-api'],
        scope: 'Namespaced',
        status: true,
        columns: [
          'Initialized boolean .status.initialization.controlPlaneInitialized',
          'Ready boolean .status.ready',
          age,
        ],
        required: [],
        specDefault: {},
        specRequired: [],
      },
      {
        name: 'machosts.muster.dev',
        labels: ours,
        kind: 'MacHost',
        listKind: 'MacHostList',
        singular: 'machost',
        shortNames: ['mh'],
        categories: [],
        scope: 'Cluster',
        status: true,
        columns: [
          'State string .status.state',
          'Claim string .spec.claim.name',
          'Server string .status.observed.name',
          'Zone string .status.observed.zone',
          'Type string .status.observed.type',
          'Epoch integer .status.installEpoch',
          age,
          'IP string .status.observed.ip priority 1',
          'Reason string .status.reason priority 1',
        ],
        required: [],
        specDefault: {},
        specRequired: [],
      },
      {
        name: 'runnerpools.tuist.dev',
        labels: ours,
        kind: 'RunnerPool',
        listKind: 'RunnerPoolList',
        singular: 'runnerpool',
        shortNames: ['rpool'],
        categories: [],
        scope: 'Namespaced',
        status: true,
        columns: [
          'Replicas integer .spec.replicas',
          'Observed integer .status.observedReplicas',
          'DispatchLabel string .spec.dispatchLabel',
          age,
        ],
        required: ['spec'],
        specDefault: undefined,
        specRequired: ['image', 'fleetSelector', 'dispatchLabel', 'runnerLabels'],
      },
    ]);
  });

  it.each(kinds.map((kind) => [kind.kind, kind] as const))(
    '%s has one version, served and stored',
    (_, kind) => {
      const { apiVersion, spec } = crd(kind);
      expect({
        apiVersion,
        versions: spec.versions.map(({ name, served, storage }) => ({ name, served, storage })),
      }).toEqual({
        apiVersion: 'apiextensions.k8s.io/v1',
        versions: [{ name: 'v1alpha1', served: true, storage: true }],
      });
    },
  );

  it.each(kinds.map((kind) => [kind.kind, kind] as const))(
    '%s leaves metadata to the API server, which rejects any schema for it',
    (_, kind) => {
      expect(crd(kind).spec.versions[0].schema.openAPIV3Schema.properties?.['metadata']).toEqual({
        type: 'object',
      });
    },
  );
});
