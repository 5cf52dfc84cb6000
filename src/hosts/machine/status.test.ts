/** The conditions of a machine while nothing new is known. */
import { expect, it } from 'vitest';
import { finalizers } from '../../api/names/finalizers.ts';
import type { MachineObject } from '../state/objects.ts';
import type { Observed } from './decision.ts';
import { decide } from './plan.ts';
import { statusPatch } from './status.ts';

const metadata = {
  name: 'runners-1',
  namespace: 'ci',
  uid: 'u1',
  resourceVersion: '1',
  finalizers: [finalizers.machine.key],
};
const served: MachineObject = {
  metadata,
  status: {
    serverID: 'h1',
    phase: 'Ready',
    conditions: [{ type: 'Provisioned', status: 'True', reason: 'Provisioned' }],
  },
};

function patchFor(machine: MachineObject, isListed: boolean) {
  const observed: Observed = {
    now: 0,
    machine,
    host: undefined,
    isShared: false,
    isServingOthers: false,
    isNamedByPerson: false,
    named: [],
    hosts: [],
    clusterReadiness: 'ready',
    isListed,
    defaultPoolPrefix: 'pool-',
    claimPrefix: '',
  };
  return statusPatch(observed, decide(observed));
}

it('a machine whose MacHost is missing keeps its condition until the first inventory', () => {
  expect(patchFor(served, false)).toBeUndefined();
  expect(patchFor(served, true)?.conditions).toContainEqual(
    expect.objectContaining({ type: 'Provisioned', reason: 'HostGone' }),
  );
});

it('a machine without a condition reports that it waits for the first inventory', () => {
  const said = { reason: 'NotYetObserved', message: 'the machine waits for the first inventory of fr-par-1' };
  expect(patchFor({ metadata }, false)?.conditions).toContainEqual(
    expect.objectContaining({ type: 'Provisioned', status: 'False', ...said }),
  );
});
