/** What the agent writes to its Node, and what it leaves as it is. */
import { expect, it } from 'vitest';
import type { Node } from '../../kube/client/builtin-resources.ts';
import {
  hasOtherProviderId,
  nodeCorrection,
  nodeDraft,
  nodeLabels,
  nodeStatus,
  type NodeShape,
} from './node-object.ts';

const shape: NodeShape = {
  name: 'mac-1',
  os: 'darwin',
  fleet: 'macs',
  cpus: 8,
  memoryMb: 16_384,
  providerId: 'scw-applesilicon://fr-par-1/11111111-2222-4333-8444-555555555555',
};
const taint = { key: 'tuist.dev/macos', value: 'true', effect: 'NoSchedule' };

function nodeWith(spec: object, labels: Readonly<Record<string, string>> = nodeLabels(shape)): Node {
  const metadata = { name: 'mac-1', uid: 'u', resourceVersion: '1', creationTimestamp: '', labels };
  return { apiVersion: 'v1', kind: 'Node', metadata, spec: { taints: [taint], ...spec } };
}

it('sets the providerID when it creates the Node', () => {
  expect(nodeDraft(shape)).toMatchObject({ spec: { providerID: shape.providerId, taints: [taint] } });
});

it.for([{}, { providerID: '' }])('fills a providerID that is empty: %j', (spec) => {
  expect(nodeCorrection(shape, nodeWith(spec))).toMatchObject({ spec: { providerID: shape.providerId } });
});

it('never overwrites a providerID, and says that it differs', () => {
  const node = nodeWith({ providerID: 'scw-applesilicon://fr-par-1/another' }, {});
  expect(nodeCorrection(shape, node)).toEqual({ metadata: { labels: nodeLabels(shape) }, spec: {} });
  expect([hasOtherProviderId(shape, node), hasOtherProviderId(shape, nodeWith({}))]).toEqual([true, false]);
});

it('corrects nothing on a Node that is as it should be', () => {
  expect(nodeCorrection(shape, nodeWith({ providerID: shape.providerId }))).toBeUndefined();
});

it('puts its taint back, removes the one of a new Node, and keeps those of others', () => {
  const other = { key: 'other', effect: 'NoExecute' };
  const fresh = { key: 'node.kubernetes.io/not-ready', effect: 'NoSchedule' };
  const { providerId: providerID } = shape;
  expect(nodeCorrection(shape, nodeWith({ providerID, taints: [other, fresh] }))).toMatchObject({
    spec: { taints: [other, taint] },
  });
});

it('reports the four conditions that Cluster API reads, and keeps the time of the last change', () => {
  const first = nodeStatus(shape, {}, '2026-01-01T00:00:00Z');
  const second = nodeStatus(shape, { status: first }, '2026-01-01T00:05:00Z');
  expect(second.conditions?.map((one) => [one.type, one.status, one.lastTransitionTime])).toEqual([
    ['Ready', 'True', '2026-01-01T00:00:00Z'],
    ['MemoryPressure', 'False', '2026-01-01T00:00:00Z'],
    ['DiskPressure', 'False', '2026-01-01T00:00:00Z'],
    ['PIDPressure', 'False', '2026-01-01T00:00:00Z'],
  ]);
  expect(second.conditions?.[0]?.lastHeartbeatTime).toBe('2026-01-01T00:05:00Z');
});
