import { describe, expect, it } from 'vitest';
import type { ClusterObject } from '../state/cluster-objects.ts';
import { decide, plan, type Above, type Half, type Observed } from './plan.ts';

const metadata = { name: 'macs', namespace: 'ci', uid: 'u', resourceVersion: '1' };
const infrastructureRef = { kind: 'ScalewayAppleSiliconCluster', name: 'macs' };
const infrastructure: Half = { kind: 'infrastructure', object: { metadata } };
const controlPlane: Half = { kind: 'control-plane', object: { metadata } };

function cluster(fields: Partial<ClusterObject> = {}): Above {
  return { version: 'v1beta2', object: { metadata, spec: { infrastructureRef }, ...fields } };
}

function evaluated(half: Half, above: Above) {
  const { reason, mayReport, action } = decide({ now: 0, half, above });
  return [reason, mayReport ? 'reports' : 'is silent', action?.kind ?? 'does nothing'].join(', ');
}

describe('the infrastructure of a cluster', () => {
  it.for([
    ['no Cluster owns it', 'unowned', 'NothingToProvision, reports, does nothing'],
    ['its Cluster does not exist', 'missing', 'NothingToProvision, reports, does nothing'],
    ['its Cluster names no control plane', cluster(), 'NothingToProvision, reports, open-gate'],
    [
      'its Cluster names a control plane',
      cluster({ spec: { infrastructureRef, controlPlaneRef: { kind: 'Any', name: 'macs' } } }),
      'NothingToProvision, reports, does nothing',
    ],
    [
      'its Cluster has other infrastructure of its kind',
      cluster({ spec: { infrastructureRef: { ...infrastructureRef, name: 'other' } } }),
      'NothingToProvision, reports, does nothing',
    ],
    [
      'its Cluster has infrastructure of another kind',
      cluster({ spec: { infrastructureRef: { ...infrastructureRef, kind: 'Other' } } }),
      'NothingToProvision, reports, does nothing',
    ],
    [
      'the condition of its Cluster is set',
      cluster({ status: { conditions: [{ type: 'ControlPlaneInitialized', status: 'True' }] } }),
      'NothingToProvision, reports, does nothing',
    ],
    [
      'the condition of its Cluster was set to False',
      cluster({ status: { conditions: [{ type: 'ControlPlaneInitialized', status: 'False' }] } }),
      'NothingToProvision, reports, open-gate',
    ],
    [
      'its Cluster is being deleted',
      cluster({ metadata: { ...metadata, deletionTimestamp: '2026-01-01T00:00:00Z' } }),
      'NothingToProvision, reports, does nothing',
    ],
    [
      'its Cluster is paused',
      cluster({ spec: { infrastructureRef, paused: true } }),
      'Paused, is silent, does nothing',
    ],
  ] as const)('when %s', ([, above, expected]) => expect(evaluated(infrastructure, above)).toBe(expected));

  it('is left alone while paused or deleting', () => {
    const marked = (more: object): Half => ({
      kind: 'infrastructure',
      object: { metadata: { ...metadata, ...more } },
    });
    expect(evaluated(marked({ annotations: { 'cluster.x-k8s.io/paused': '' } }), cluster())).toBe(
      'Paused, is silent, does nothing',
    );
    expect(evaluated(marked({ deletionTimestamp: '2026-01-01T00:00:00Z' }), cluster())).toBe(
      'Deleting, is silent, does nothing',
    );
  });
});

it('a control plane reports that it is managed elsewhere, and does not change its Cluster', () => {
  expect(evaluated(controlPlane, cluster())).toBe('ManagedElsewhere, reports, does nothing');
  expect(evaluated(controlPlane, 'unowned')).toBe('ManagedElsewhere, reports, does nothing');
});

it('polls only what is not watched', () => {
  const lookAgain = (half: Half, above: Above) =>
    plan({ now: 1000, half, above } satisfies Observed).requeueAt;
  expect(lookAgain(infrastructure, 'unowned')).toBeUndefined();
  expect(lookAgain(infrastructure, 'missing')).toBe(61_000);
  expect(lookAgain(infrastructure, cluster({ spec: { paused: true } }))).toBe(31_000);
});

it('the note names the kind, because both objects often have the same name', () => {
  expect(plan({ now: 0, half: controlPlane, above: 'unowned' }).notes).toEqual([
    {
      subject: 'MusterControlPlane/ci/macs',
      reason: 'ManagedElsewhere',
      detail: 'the control plane is run by something other than Cluster API',
    },
  ]);
});
