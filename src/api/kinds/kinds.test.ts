import { describe, expect, it } from 'vitest';

import { fieldsSchema } from '../crd/crd.ts';
import { kinds } from './kinds.ts';
import { macHost } from './mac-host.ts';
import { runnerPool } from './runner-pool.ts';
import { scalewayAppleSiliconMachine } from './scaleway-apple-silicon-machine.ts';
import { schemaFields } from '../crd/schema-fields.ts';

const defaults = Object.fromEntries(
  kinds.map((kind) => [
    kind.kind,
    Object.fromEntries(
      schemaFields(fieldsSchema(kind))
        .filter(({ schema }) => schema.default !== undefined)
        .map(({ path, schema }) => [path, schema.default]),
    ),
  ]),
);

const machineDefaults = (at: string) => ({
  [`${at}.type`]: 'M2-L',
  [`${at}.zone`]: 'fr-par-1',
  [`${at}.os`]: 'Tahoe',
  [`${at}.ghActionsRunner.ghOrg`]: 'tuist',
  [`${at}.ghActionsRunner.ghRunnerLabels`]: 'self-hosted,macos,bare-metal,vm-image-builder',
});

const ofConditions = (kind: string) => [
  `${kind} status.conditions[].type`,
  `${kind} status.conditions[].status`,
];

const parsedAutoscaling = (autoscaling: object) =>
  runnerPool.schema.parse({
    apiVersion: 'tuist.dev/v1alpha1',
    kind: 'RunnerPool',
    metadata: { name: 'pool' },
    spec: { image: 'i', fleetSelector: 'f', dispatchLabel: 'd', runnerLabels: [], autoscaling },
  }).spec.autoscaling;

describe('kinds', () => {
  it('fill in these defaults and no others', () => {
    expect(defaults).toEqual({
      ScalewayAppleSiliconMachine: { spec: {}, ...machineDefaults('spec') },
      ScalewayAppleSiliconMachineTemplate: machineDefaults('spec.template.spec'),
      ScalewayAppleSiliconCluster: { spec: {} },
      MusterControlPlane: { spec: {} },
      MacHost: { spec: {} },
      RunnerPool: {
        'spec.replicas': 0,
        'spec.os': 'darwin',
        'spec.podCPUMilli': 8000,
        'spec.podMemoryMB': 14336,
        'spec.provisioning': {},
        'spec.provisioning.maxConcurrentPerFleetSelector': 4,
        'spec.provisioning.startTimeoutSeconds': 300,
        'spec.autoscaling': {},
        'spec.autoscaling.enabled': false,
        'spec.autoscaling.minWarmPoolFloor': 1,
        'spec.autoscaling.maxReplicas': 0,
        'spec.autoscaling.scaleDownCooldownSeconds': 300,
        'spec.autoscaling.windows[].timeZone': 'UTC',
        'spec.rollout': {},
        'spec.rollout.maxConcurrentPercent': 5,
      },
    });
  });

  it('require no field that an older object may lack', () => {
    const required = kinds.flatMap((kind) =>
      schemaFields(fieldsSchema(kind))
        .filter((field) => field.required)
        .map(({ path }) => `${kind.kind} ${path}`),
    );
    expect(required).toEqual([
      'ScalewayAppleSiliconMachine status.addresses[].type',
      'ScalewayAppleSiliconMachine status.addresses[].address',
      ...ofConditions('ScalewayAppleSiliconMachine'),
      'ScalewayAppleSiliconMachineTemplate spec',
      'ScalewayAppleSiliconMachineTemplate spec.template',
      'ScalewayAppleSiliconMachineTemplate spec.template.spec',
      ...ofConditions('ScalewayAppleSiliconCluster'),
      ...ofConditions('MusterControlPlane'),
      'MacHost spec.claim.namespace',
      'MacHost spec.claim.name',
      'MacHost spec.claim.uid',
      'MacHost spec.release.policy',
      'MacHost spec.release.orderedBy',
      'MacHost spec.release.orderedAt',
      // No older object has this list. An item without one of the fields would silently overrule nothing.
      'MacHost spec.release.overrules[].uid',
      'MacHost spec.release.overrules[].by',
      'MacHost spec.hold.reason',
      'MacHost spec.hold.since',
      'MacHost spec.lastOwner.namespace',
      'MacHost spec.lastOwner.name',
      'MacHost spec.lastOwner.uid',
      'MacHost status.wipe.askedAt',
      ...ofConditions('MacHost'),
      'RunnerPool spec',
      'RunnerPool spec.image',
      'RunnerPool spec.fleetSelector',
      'RunnerPool spec.dispatchLabel',
      'RunnerPool spec.runnerLabels',
      'RunnerPool spec.autoscaling.windows[].from',
      'RunnerPool spec.autoscaling.windows[].to',
      'RunnerPool spec.autoscaling.windows[].minWarmPoolFloor',
      ...ofConditions('RunnerPool'),
    ]);
  });

  it('allow null where existing objects may have it', () => {
    const nullable = kinds.flatMap((kind) =>
      schemaFields(fieldsSchema(kind))
        .filter(({ schema }) => schema.nullable === true)
        .map(({ path }) => `${kind.kind} ${path}`),
    );
    expect(nullable).toEqual([
      'ScalewayAppleSiliconMachine spec.providerID',
      'ScalewayAppleSiliconMachine status.failureReason',
      'ScalewayAppleSiliconMachine status.failureMessage',
      'ScalewayAppleSiliconMachineTemplate spec.template.spec.providerID',
    ]);
  });

  it('keep one condition per type', () => {
    const lists = kinds.flatMap((kind) =>
      schemaFields(fieldsSchema(kind))
        .filter(({ path }) => path === 'status.conditions')
        .map(({ schema }) => [
          kind.kind,
          schema['x-kubernetes-list-type'],
          schema['x-kubernetes-list-map-keys'],
        ]),
    );
    expect(lists).toEqual([
      ['ScalewayAppleSiliconMachine', 'map', ['type']],
      ['ScalewayAppleSiliconCluster', 'map', ['type']],
      ['MusterControlPlane', 'map', ['type']],
      ['MacHost', 'map', ['type']],
      ['RunnerPool', 'map', ['type']],
    ]);
  });

  it('give a machine without a spec the same defaults the API server would', () => {
    const bare = {
      apiVersion: 'infrastructure.cluster.x-k8s.io/v1alpha1',
      kind: 'ScalewayAppleSiliconMachine',
      metadata: { name: 'bare', namespace: 'default' },
    };
    expect(scalewayAppleSiliconMachine.schema.parse(bare)).toEqual({
      ...bare,
      spec: { type: 'M2-L', zone: 'fr-par-1', os: 'Tahoe' },
    });
  });

  it('distinguish zero idle runners and zero cooldown from unset fields', () => {
    expect([
      parsedAutoscaling({ minWarmPoolFloor: 0, scaleDownCooldownSeconds: 0 }),
      parsedAutoscaling({}),
    ]).toEqual([
      { enabled: false, minWarmPoolFloor: 0, maxReplicas: 0, scaleDownCooldownSeconds: 0 },
      { enabled: false, minWarmPoolFloor: 1, maxReplicas: 0, scaleDownCooldownSeconds: 300 },
    ]);
  });

  it('keep unknown metadata, so that a read followed by a write loses nothing', () => {
    const host = {
      apiVersion: 'muster.dev/v1alpha1',
      kind: 'MacHost',
      metadata: {
        name: '3f0d2c4e-8a55-4d0b-9f43-1c7f2f5a6e01',
        managedFields: [{ manager: 'muster', operation: 'Apply' }],
        ownerReferences: [{ apiVersion: 'v1', kind: 'Node', name: 'n', uid: 'u', somethingNew: true }],
      },
      spec: {},
    };
    expect(macHost.schema.parse(host)).toEqual(host);
  });
});
