/** Writes to clusters, with the current Cluster API, an older version, and none. */
import { expect, it } from 'vitest';
import { HostHarness } from '../../../lab/harness/host-harness.ts';
import {
  clustersIn,
  controlPlanes,
  infraClusters,
  type ClusterVersion,
  type ControlPlaneObject,
  type FoundCluster,
  type InfraClusterObject,
} from '../state/cluster-objects.ts';
import { isFleetError } from '../../platform/errors/fleet-error.ts';
import { apiVersionOf, type KubeObject, type Place, type Resource } from '../../kube/client/kube-object.ts';
import { definitionKind, installClusterApi } from '../../../lab/clouds/cluster-api/crds.ts';
import { ClusterController, clusterKey } from './controller.ts';
import type { Half } from './plan.ts';

const namespace = 'default';
const place = { namespace, name: 'macs' };
const infrastructureRef = {
  apiGroup: infraClusters.group,
  kind: infraClusters.kind,
  name: 'macs',
};

class ClusterHarness extends HostHarness {
  /** Undefined without Cluster API. */
  version: ClusterVersion | undefined;
  meanwhileCluster: () => Promise<void> = () => Promise.resolve();
  #looks = 0;

  async make(resource: Resource, fields: object = {}): Promise<KubeObject> {
    const { metadata, ...rest } = { metadata: {}, ...fields };
    const type = { apiVersion: apiVersionOf(resource), kind: resource.kind };
    return this.client.create(
      resource,
      { namespace },
      { ...type, metadata: { ...place, ...metadata }, ...rest },
    );
  }

  async installNew(): Promise<void> {
    await installClusterApi(this.client);
    this.clock.runDue();
    this.version = 'v1beta2';
  }

  async installOld(): Promise<void> {
    const resource = clustersIn('v1beta1');
    const { group, kind, plural } = resource;
    const openAPIV3Schema = { type: 'object', 'x-kubernetes-preserve-unknown-fields': true };
    await this.client.create(
      definitionKind,
      {},
      {
        apiVersion: 'apiextensions.k8s.io/v1',
        kind: 'CustomResourceDefinition',
        metadata: {
          name: `${plural}.${group}`,
          annotations: { 'api-approved.kubernetes.io': 'unapproved, a stand-in' },
        },
        spec: {
          group,
          scope: 'Namespaced',
          names: { kind, plural, singular: 'cluster', listKind: 'ClusterList' },
          versions: [
            {
              name: 'v1beta1',
              served: true,
              storage: true,
              schema: { openAPIV3Schema },
              subresources: { status: {} },
            },
          ],
        },
      },
    );
    this.clock.runDue();
    this.version = 'v1beta1';
  }

  /** A Cluster and the infrastructure object that it owns. */
  async owned(spec: object = { infrastructureRef }): Promise<void> {
    const { version = 'v1beta2' } = this;
    const resource = clustersIn(version);
    const { metadata } = await this.make(resource, { spec });
    const owner = { apiVersion: apiVersionOf(resource), kind: 'Cluster', name: 'macs', uid: metadata.uid };
    await this.make(infraClusters, { metadata: { ownerReferences: [owner] } });
  }

  async change(merge: object, subresource?: string): Promise<void> {
    const { version = 'v1beta2' } = this;
    const at = { ...place, ...(subresource !== undefined && { subresource }) };
    await this.client.patch(clustersIn(version), at, { merge });
  }

  controllerOf(infra?: InfraClusterObject, find = (at: Place) => this.#find(at), plane?: ControlPlaneObject) {
    return new ClusterController({
      client: this.client,
      now: this.now,
      infrastructure: () => infra,
      controlPlane: () => plane,
      findCluster: find,
    });
  }

  async visit(kind: Half['kind'] = 'infrastructure') {
    const infra = await this.client.find(infraClusters, place);
    const plane = await this.client.find(controlPlanes, place);
    const controller = this.controllerOf(infra, undefined, plane);
    const observed = await controller.observe(clusterKey(kind, 'default/macs'));
    if (observed === undefined) return 'gone';
    const made = controller.plan(observed);
    const outcomes = [];
    for (const action of made.actions) outcomes.push(await this.#outcome(controller.act(action, observed)));
    await controller.status(observed);
    return outcomes;
  }

  async conditions() {
    const { status } = await this.client.get(clustersIn(this.version ?? 'v1beta2'), place);
    return status?.conditions;
  }

  /** The second read is the one just before the write. */
  async #find(at: Place): Promise<FoundCluster | undefined> {
    const { version } = this;
    if (version === undefined) return undefined;
    this.#looks += 1;
    if (this.#looks === 2) await this.meanwhileCluster();
    const object = await this.client.find(clustersIn(version), at);
    return object && { version, object };
  }

  async #outcome(done: Promise<string>): Promise<string> {
    try {
      return await done;
    } catch (error) {
      if (!isFleetError(error)) throw error;
      return error.kind;
    }
  }
}

it('reports both objects as ready in the fields of both contracts, without Cluster API', async () => {
  const harness = new ClusterHarness();
  await harness.make(infraClusters);
  await harness.make(controlPlanes);
  expect([await harness.visit('infrastructure'), await harness.visit('control-plane')]).toEqual([[], []]);
  const condition = { type: 'Ready', status: 'True', observedGeneration: 1 };
  expect((await harness.client.get(infraClusters, place)).status).toMatchObject({
    ready: true,
    initialization: { provisioned: true },
    conditions: [{ ...condition, reason: 'NothingToProvision' }],
  });
  expect((await harness.client.get(controlPlanes, place)).status).toMatchObject({
    ready: true,
    initialized: true,
    initialization: { controlPlaneInitialized: true },
    externalManagedControlPlane: true,
    conditions: [{ ...condition, reason: 'ManagedElsewhere' }],
  });
});

it('writes nothing when the status is complete, and all of it when a field is missing', async () => {
  const harness = new ClusterHarness();
  await harness.make(infraClusters);
  await harness.visit();
  const before = await harness.client.get(infraClusters, place);
  const patch = harness.client.patch.bind(harness.client);
  harness.client.patch = () => Promise.reject(new Error('it wrote'));
  await harness.visit();
  harness.client.patch = patch;
  const cleared = { merge: { status: { initialization: null } } };
  await harness.client.patch(infraClusters, { ...place, subresource: 'status' }, cleared);
  await harness.visit();
  expect((await harness.client.get(infraClusters, place)).status).toEqual(before.status);
});

it('a decision on an older state does not overwrite a newer one', async () => {
  const harness = new ClusterHarness();
  await harness.make(infraClusters);
  const object = await harness.client.get(infraClusters, place);
  const controller = harness.controllerOf(object);
  await harness.client.patch(infraClusters, place, { merge: { metadata: { labels: { by: 'another' } } } });
  const half: Half = { kind: 'infrastructure', object };
  await expect(controller.status({ now: 0, half, above: 'unowned' })).rejects.toMatchObject({
    kind: 'conflict',
  });
});

it('reports nothing for a paused cluster', async () => {
  const harness = new ClusterHarness();
  await harness.make(infraClusters, { metadata: { annotations: { 'cluster.x-k8s.io/paused': '' } } });
  await harness.visit();
  expect((await harness.client.get(infraClusters, place)).status).toBeUndefined();
});

it('sets the condition of a Cluster without a control plane, and keeps its other conditions', async () => {
  const harness = new ClusterHarness();
  await harness.installNew();
  await harness.owned();
  const other = {
    type: 'Available',
    status: 'Unknown',
    reason: 'Other',
    message: '',
    lastTransitionTime: '2026-01-01T00:00:00Z',
  };
  await harness.change({ status: { conditions: [other] } }, 'status');
  expect(await harness.visit()).toEqual(['requested']);
  expect(await harness.conditions()).toEqual([
    other,
    expect.objectContaining({ type: 'ControlPlaneInitialized', status: 'True', reason: 'ManagedElsewhere' }),
  ]);
  expect(await harness.visit()).toEqual([]);
});

it('sets the condition of an older Cluster in its own form, and keeps its other conditions', async () => {
  const harness = new ClusterHarness();
  await harness.installOld();
  await harness.owned();
  const other = { type: 'Ready', status: 'True', lastTransitionTime: '2026-01-01T00:00:00Z' };
  await harness.change({ status: { conditions: [other] } }, 'status');
  expect(await harness.visit()).toEqual(['requested']);
  expect(await harness.conditions()).toEqual([
    other,
    { type: 'ControlPlaneInitialized', status: 'True', lastTransitionTime: '2026-01-01T00:00:00.000Z' },
  ]);
});

it.for([
  ['names a control plane', { spec: { controlPlaneRef: { ...infrastructureRef, name: 'x' } } }],
  ['is paused', { spec: { paused: true } }],
  ['has other infrastructure', { spec: { infrastructureRef: { ...infrastructureRef, name: 'x' } } }],
] as const)('does not set the condition of a Cluster that %s meanwhile', async ([, change]) => {
  const harness = new ClusterHarness();
  await harness.installNew();
  await harness.owned();
  harness.meanwhileCluster = () => harness.change(change);
  expect(await harness.visit()).toEqual(['precondition-lost']);
  expect(await harness.conditions()).toBeUndefined();
});

it('does not set the condition of another Cluster of the same name', async () => {
  const harness = new ClusterHarness();
  await harness.installNew();
  await harness.owned();
  const object = await harness.client.get(infraClusters, place);
  const [owner] = object.metadata.ownerReferences ?? [];
  const ownerReferences = owner === undefined ? [] : [{ ...owner, uid: 'of-an-earlier-one' }];
  const controller = harness.controllerOf({ ...object, metadata: { ...object.metadata, ownerReferences } });
  expect((await controller.observe('default/macs'))?.above).toBe('missing');
});

it('an older Cluster that changed meanwhile is not overwritten', async () => {
  const harness = new ClusterHarness();
  await harness.installOld();
  await harness.owned();
  const found = await harness.client.get(clustersIn('v1beta1'), place);
  await harness.change({ status: { conditions: [{ type: 'Ready', status: 'True' }] } }, 'status');
  const object = await harness.client.get(infraClusters, place);
  const half: Half = { kind: 'infrastructure', object };
  const above: FoundCluster = { version: 'v1beta1', object: found };
  const controller = harness.controllerOf(object, () => Promise.resolve(above));
  await expect(controller.act({ kind: 'open-gate' }, { now: 0, half, above })).rejects.toMatchObject({
    kind: 'conflict',
  });
});
