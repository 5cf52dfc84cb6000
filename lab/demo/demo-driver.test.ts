import { describe, expect, it } from 'vitest';
import type { Machine, MachineDeployment } from '../clouds/cluster-api/kinds.ts';
import { deedsIn } from './demo-driver.ts';

const metadata = (name: string, more: object = {}) => ({ name, uid: name, resourceVersion: '1', ...more });
const template = {
  spec: { clusterName: 'macs', bootstrap: {}, infrastructureRef: { apiGroup: '', kind: '', name: '' } },
};

function deployment(replicas: number, annotations: Readonly<Record<string, string>> = {}): MachineDeployment {
  return {
    metadata: metadata('demo', { annotations }),
    spec: { clusterName: 'macs', replicas, selector: {}, template },
  };
}

function machine(name: string, phase = 'Running'): Machine {
  const creationTimestamp = `2026-11-03T12:00:0${name}Z`;
  return { metadata: metadata(name, { creationTimestamp }), spec: template.spec, status: { phase } };
}

const three = ['3', '1', '2'].map((name) => machine(name));

/** In short: `+`, `-`, or the name of the replaced Machine. */
function deeds(seen: Parameters<typeof deedsIn>[0]): readonly string[] {
  return deedsIn(seen).map((deed) => {
    if (deed.kind === 'replace') return deed.machine.metadata.name;
    return deed.replicas > deed.deployment.spec.replicas ? '+' : '-';
  });
}

describe('the demo driver', () => {
  it('scales the fleet up or down, or replaces its oldest Machine', () => {
    expect(deeds({ deployment: deployment(3), machines: three, freeHosts: 1 })).toEqual(['-', '+', '1']);
  });

  it('requests no Mac when none is free', () => {
    expect(deeds({ deployment: deployment(3), machines: three, freeHosts: 0 })).toEqual(['-']);
  });

  it('keeps to two to four Macs', () => {
    const two = three.slice(1);
    const four = [...three, machine('4')];
    expect(deeds({ deployment: deployment(2), machines: two, freeHosts: 1 })).toEqual(['+', '1']);
    expect(deeds({ deployment: deployment(4), machines: four, freeHosts: 1 })).toEqual(['-', '1']);
  });

  it('waits for the end of a running change', () => {
    const busy = [...three.slice(1), machine('4', 'Provisioning')];
    expect(deeds({ deployment: deployment(3), machines: busy, freeHosts: 3 })).toEqual([]);
    expect(deeds({ deployment: deployment(4), machines: three, freeHosts: 3 })).toEqual([]);
  });

  it('does nothing to a fleet that a person has paused', () => {
    const paused = deployment(3, { 'cluster.x-k8s.io/paused': '' });
    expect(deeds({ deployment: paused, machines: three, freeHosts: 3 })).toEqual([]);
  });
});
