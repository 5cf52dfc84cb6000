/** How a Machine gets its Node, what makes a Machine ready, and how a Machine is deleted. */
import { expect } from 'vitest';
import { nodes, pods } from '../../../../src/kube/client/builtin-resources.ts';
import { annotations, finalizers, machineDeployments, machines } from '../../../clouds/cluster-api/kinds.ts';
import type { Case } from '../case.ts';
import { statusOf, type Fixture } from '../harness.ts';
import { tiny } from '../tiny-kinds.ts';
import { addresses, healthyNode } from '../tiny-provider.ts';

export const machineCases: readonly Case[] = [
  {
    rule: 'a Machine is Pending until its infrastructure is provisioned, and is then Provisioned with its id and its addresses',
    proves: async (fixture) => {
      fixture.provider.provisions = false;
      fixture.provider.joins = undefined;
      await fixture.build();
      const name = await fixture.untilNamed();
      const before = await fixture.untilIs([machines, name], ({ status }) => status?.phase !== undefined);
      expect([before.status?.phase, before.spec.providerID]).toEqual(['Pending', undefined]);
      fixture.provider.provisions = true;
      const after = await fixture.untilIs([machines, name], ({ status }) => status?.phase === 'Provisioned');
      expect(after.spec.providerID).toBe(`tiny://${name}`);
      const full = await fixture.untilIs([machines, name], ({ status }) => status?.addresses !== undefined);
      expect(full.status).toMatchObject({ addresses, initialization: { infrastructureProvisioned: true } });
      expect(full.status?.nodeRef).toBeUndefined();
    },
  },
  {
    rule: 'a provisioned Machine that finds the Node of its provider id is Running, and the Node is annotated',
    proves: async (fixture) => {
      const [machine] = await fixture.buildAvailable();
      const name = machine?.metadata.name ?? '';
      expect(machine?.status).toMatchObject({ phase: 'Running', nodeRef: { name } });
      expect((await fixture.get(nodes, name)).metadata.annotations).toMatchObject({
        [annotations.clusterOfNode]: 'tiny',
        [annotations.namespaceOfNode]: fixture.name,
        [annotations.machineOfNode]: name,
        [annotations.ownerKindOfNode]: 'MachineSet',
        [annotations.ownerNameOfNode]: (await fixture.sets())[0]?.metadata.name,
      });
    },
  },
  {
    rule: 'before the control plane is initialized Nodes are not matched, and so no Machine is Ready',
    proves: async (fixture) => {
      fixture.provider.initializes = false;
      await fixture.build();
      const name = await fixture.untilNamed();
      await fixture.untilIs([nodes, name], () => true);
      const before = await fixture.untilIs(
        [machines, name],
        (one) => statusOf(one, 'InfrastructureReady') === 'True' && statusOf(one, 'NodeReady') !== undefined,
      );
      const said = ['NodeReady', 'NodeHealthy', 'Ready'].map((type) => statusOf(before, type));
      expect(said).toEqual(['Unknown', 'Unknown', 'Unknown']);
      fixture.provider.initializes = true;
      await fixture.untilRunning(1);
    },
  },
  {
    rule: 'a Machine is Ready only when its Node reports all four conditions, and all of them are good',
    proves: async (fixture) => {
      fixture.provider.joins = healthyNode.slice(0, 1);
      await fixture.build();
      const name = await fixture.untilNamed();
      const before = await fixture.untilIs([machines, name], (one) => statusOf(one, 'NodeReady') === 'True');
      expect(statusOf(before, 'NodeHealthy')).toBe('Unknown');
      expect(statusOf(before, 'Ready')).toBe('Unknown');
      expect(statusOf(before, 'Available')).toBe('False');
      for (const missing of healthyNode.slice(1)) {
        await sayNode(fixture, name, healthyNode);
        await fixture.untilRunning(1);
        await sayNode(
          fixture,
          name,
          healthyNode.filter((one) => one !== missing),
        );
        await fixture.untilIs([machines, name], (one) => statusOf(one, 'NodeHealthy') === 'Unknown');
      }
      const pressed = healthyNode.map((one) =>
        one.type === 'DiskPressure' ? { ...one, status: 'True' } : one,
      );
      await sayNode(fixture, name, pressed);
      const after = await fixture.untilIs([machines, name], (one) => statusOf(one, 'Ready') === 'False');
      expect(statusOf(after, 'NodeHealthy')).toBe('False');
    },
  },
  {
    rule: 'a Machine whose Node was deleted keeps its name and is not Ready, and finds the Node when it comes back',
    proves: async (fixture) => {
      const [machine] = await fixture.buildAvailable();
      const name = machine?.metadata.name ?? '';
      fixture.provider.joins = undefined;
      await fixture.delete(nodes, name);
      const after = await fixture.untilIs([machines, name], (one) => statusOf(one, 'Ready') === 'False');
      expect(statusOf(after, 'NodeHealthy')).toBe('False');
      expect(after.status).toMatchObject({ phase: 'Running', nodeRef: { name } });
      fixture.provider.joins = healthyNode;
      await fixture.untilRunning(1);
    },
  },
  {
    rule: 'a Machine mirrors the Ready condition of its infrastructure; false makes the Machine and its deployment unavailable',
    proves: async (fixture) => {
      const [machine] = await fixture.buildAvailable();
      const name = machine?.metadata.name ?? '';
      const object = await fixture.get(tiny.machines, name);
      await fixture.provider.say(tiny.machines, object, { conditions: [readiness('False')] });
      const after = await fixture.untilIs([machines, name], (one) => statusOf(one, 'Ready') === 'False');
      expect(after.status?.conditions?.find(({ type }) => type === 'InfrastructureReady')).toMatchObject({
        status: 'False',
        reason: 'Overheated',
        message: 'it is too hot',
      });
      const whole = await fixture.untilIs(
        [machineDeployments, fixture.name],
        (one) => statusOf(one, 'Available') === 'False' && one.status?.availableReplicas === 0,
      );
      expect(whole.status).toMatchObject({ replicas: 1, readyReplicas: 0 });
      await fixture.provider.say(tiny.machines, object, { conditions: [readiness('True')] });
      await fixture.untilRunning(1);
    },
  },
  {
    rule: 'a deleted Machine cordons its Node, evicts its Pods except those of DaemonSets, and waits for the evictions',
    proves: async (fixture) => {
      const [machine] = await fixture.buildAvailable();
      const name = machine?.metadata.name ?? '';
      const owner = await fixture.daemonSet();
      await fixture.runPod('daemon', name, owner);
      await fixture.runPod('job', name);
      await fixture.delete(machines, name);
      await fixture.untilIs([pods, 'job'], ({ metadata }) => metadata.deletionTimestamp !== undefined);
      expect((await fixture.get(nodes, name)).spec?.unschedulable).toBe(true);
      expect((await fixture.get(pods, 'daemon')).metadata.deletionTimestamp).toBeUndefined();
      await fixture.untilIs(
        [machines, name],
        (one) => statusOf(one, 'Deleting') === 'True' && one.status?.phase === 'Deleting',
      );
      expect((await fixture.get(tiny.machines, name)).metadata.deletionTimestamp).toBeUndefined();
      await fixture.endPod('job');
      await fixture.untilGone(machines, name);
      expect((await fixture.get(pods, 'daemon')).metadata.deletionTimestamp).toBeUndefined();
      expect(await fixture.find(nodes, name)).toBeUndefined();
    },
  },
  {
    rule: 'then the Machine waits for the deletion of its infrastructure, deletes its Node, and is removed last',
    proves: async (fixture) => {
      const [machine] = await fixture.buildAvailable();
      const name = machine?.metadata.name ?? '';
      fixture.provider.releases = false;
      await fixture.delete(machines, name);
      await fixture.untilIs(
        [tiny.machines, name],
        ({ metadata }) => metadata.deletionTimestamp !== undefined,
      );
      expect(await fixture.find(nodes, name)).toBeDefined();
      expect((await fixture.get(machines, name)).metadata.finalizers).toEqual([finalizers.machine]);
      fixture.provider.releases = true;
      await fixture.untilGone(machines, name);
      expect(await fixture.find(nodes, name)).toBeUndefined();
      expect(await fixture.find(tiny.machines, name)).toBeUndefined();
    },
  },
  {
    rule: 'where the Cluster names no control plane, a deleted Machine neither drains nor deletes its Node',
    proves: async (fixture) => {
      await fixture.build({ controlPlane: false });
      fixture.provider.opensGate = true;
      const [machine] = await fixture.untilRunning(1);
      const name = machine?.metadata.name ?? '';
      await fixture.runPod('job', name);
      await fixture.delete(machines, name);
      await fixture.untilGone(machines, name);
      const node = await fixture.get(nodes, name);
      expect([node.metadata.deletionTimestamp, node.spec?.unschedulable]).toEqual([undefined, undefined]);
      expect((await fixture.get(pods, 'job')).metadata.deletionTimestamp).toBeUndefined();
    },
  },
  {
    rule: 'a Machine without a Node is removed as soon as its infrastructure is gone',
    proves: async (fixture) => {
      fixture.provider.joins = undefined;
      await fixture.build();
      const name = await fixture.untilNamed();
      await fixture.untilIs([machines, name], ({ status }) => status?.phase === 'Provisioned');
      await fixture.delete(machines, name);
      await fixture.untilGone(machines, name);
      expect(await fixture.find(tiny.machines, name)).toBeUndefined();
    },
  },
];

function readiness(status: string) {
  const lastTransitionTime = '2026-01-01T00:00:00Z';
  return { type: 'Ready', status, reason: 'Overheated', message: 'it is too hot', lastTransitionTime };
}

async function sayNode(fixture: Fixture, name: string, conditions: readonly object[]): Promise<void> {
  await fixture.client.patch(nodes, { name, subresource: 'status' }, { merge: { status: { conditions } } });
}
