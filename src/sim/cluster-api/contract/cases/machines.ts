/** How a Machine gets its Node, what makes it ready, and how it leaves. */
import { expect } from 'vitest';
import { nodes, pods } from '../../../../runtime/kube/builtin-resources.ts';
import { annotations, finalizers, machineDeployments, machines } from '../../kinds.ts';
import type { Case } from '../case.ts';
import { statusOf, type Stage } from '../stage.ts';
import { tiny } from '../tiny-kinds.ts';
import { addresses, healthyNode } from '../tiny-provider.ts';

export const machineCases: readonly Case[] = [
  {
    rule: 'a Machine is Pending until its infrastructure is there, and is then Provisioned with its id and its addresses',
    proves: async (stage) => {
      stage.provider.provisions = false;
      stage.provider.joins = undefined;
      await stage.build();
      const name = await stage.untilNamed();
      const before = await stage.untilIs([machines, name], ({ status }) => status?.phase !== undefined);
      expect([before.status?.phase, before.spec.providerID]).toEqual(['Pending', undefined]);
      stage.provider.provisions = true;
      const after = await stage.untilIs([machines, name], ({ status }) => status?.phase === 'Provisioned');
      expect(after.spec.providerID).toBe(`tiny://${name}`);
      const full = await stage.untilIs([machines, name], ({ status }) => status?.addresses !== undefined);
      expect(full.status).toMatchObject({ addresses, initialization: { infrastructureProvisioned: true } });
      expect(full.status?.nodeRef).toBeUndefined();
    },
  },
  {
    rule: 'a Machine whose infrastructure is there and that finds a Node of its id is Running, and the Node is told',
    proves: async (stage) => {
      const [machine] = await stage.buildAvailable();
      const name = machine?.metadata.name ?? '';
      expect(machine?.status).toMatchObject({ phase: 'Running', nodeRef: { name } });
      expect((await stage.get(nodes, name)).metadata.annotations).toMatchObject({
        [annotations.clusterOfNode]: 'tiny',
        [annotations.namespaceOfNode]: stage.name,
        [annotations.machineOfNode]: name,
        [annotations.ownerKindOfNode]: 'MachineSet',
        [annotations.ownerNameOfNode]: (await stage.sets())[0]?.metadata.name,
      });
    },
  },
  {
    rule: 'before the control plane is initialized nothing is said of Nodes, and so no Machine is Ready',
    proves: async (stage) => {
      stage.provider.initializes = false;
      await stage.build();
      const name = await stage.untilNamed();
      await stage.untilIs([nodes, name], () => true);
      const before = await stage.untilIs(
        [machines, name],
        (one) => statusOf(one, 'InfrastructureReady') === 'True' && statusOf(one, 'NodeReady') !== undefined,
      );
      const said = ['NodeReady', 'NodeHealthy', 'Ready'].map((type) => statusOf(before, type));
      expect(said).toEqual(['Unknown', 'Unknown', 'Unknown']);
      stage.provider.initializes = true;
      await stage.untilRunning(1);
    },
  },
  {
    rule: 'a Machine is Ready only when its Node reports all four conditions, and all of them are good',
    proves: async (stage) => {
      stage.provider.joins = healthyNode.slice(0, 1);
      await stage.build();
      const name = await stage.untilNamed();
      const before = await stage.untilIs([machines, name], (one) => statusOf(one, 'NodeReady') === 'True');
      expect(statusOf(before, 'NodeHealthy')).toBe('Unknown');
      expect(statusOf(before, 'Ready')).toBe('Unknown');
      expect(statusOf(before, 'Available')).toBe('False');
      for (const missing of healthyNode.slice(1)) {
        await sayNode(stage, name, healthyNode);
        await stage.untilRunning(1);
        await sayNode(
          stage,
          name,
          healthyNode.filter((one) => one !== missing),
        );
        await stage.untilIs([machines, name], (one) => statusOf(one, 'NodeHealthy') === 'Unknown');
      }
      const pressed = healthyNode.map((one) =>
        one.type === 'DiskPressure' ? { ...one, status: 'True' } : one,
      );
      await sayNode(stage, name, pressed);
      const after = await stage.untilIs([machines, name], (one) => statusOf(one, 'Ready') === 'False');
      expect(statusOf(after, 'NodeHealthy')).toBe('False');
    },
  },
  {
    rule: 'a Machine whose Node was deleted keeps its name and is not Ready, and finds the Node when it comes back',
    proves: async (stage) => {
      const [machine] = await stage.buildAvailable();
      const name = machine?.metadata.name ?? '';
      stage.provider.joins = undefined;
      await stage.delete(nodes, name);
      const after = await stage.untilIs([machines, name], (one) => statusOf(one, 'Ready') === 'False');
      expect(statusOf(after, 'NodeHealthy')).toBe('False');
      expect(after.status).toMatchObject({ phase: 'Running', nodeRef: { name } });
      stage.provider.joins = healthyNode;
      await stage.untilRunning(1);
    },
  },
  {
    rule: 'what infrastructure says of its readiness is what its Machine says, and makes it and its deployment unavailable',
    proves: async (stage) => {
      const [machine] = await stage.buildAvailable();
      const name = machine?.metadata.name ?? '';
      const object = await stage.get(tiny.machines, name);
      await stage.provider.say(tiny.machines, object, { conditions: [readiness('False')] });
      const after = await stage.untilIs([machines, name], (one) => statusOf(one, 'Ready') === 'False');
      expect(after.status?.conditions?.find(({ type }) => type === 'InfrastructureReady')).toMatchObject({
        status: 'False',
        reason: 'Overheated',
        message: 'it is too hot',
      });
      const whole = await stage.untilIs(
        [machineDeployments, stage.name],
        (one) => statusOf(one, 'Available') === 'False' && one.status?.availableReplicas === 0,
      );
      expect(whole.status).toMatchObject({ replicas: 1, readyReplicas: 0 });
      await stage.provider.say(tiny.machines, object, { conditions: [readiness('True')] });
      await stage.untilRunning(1);
    },
  },
  {
    rule: 'a Machine that is deleted cordons its Node and evicts its Pods but those of DaemonSets, and waits for them',
    proves: async (stage) => {
      const [machine] = await stage.buildAvailable();
      const name = machine?.metadata.name ?? '';
      const owner = await stage.daemonSet();
      await stage.runPod('daemon', name, owner);
      await stage.runPod('job', name);
      await stage.delete(machines, name);
      await stage.untilIs([pods, 'job'], ({ metadata }) => metadata.deletionTimestamp !== undefined);
      expect((await stage.get(nodes, name)).spec?.unschedulable).toBe(true);
      expect((await stage.get(pods, 'daemon')).metadata.deletionTimestamp).toBeUndefined();
      await stage.untilIs(
        [machines, name],
        (one) => statusOf(one, 'Deleting') === 'True' && one.status?.phase === 'Deleting',
      );
      expect((await stage.get(tiny.machines, name)).metadata.deletionTimestamp).toBeUndefined();
      await stage.endPod('job');
      await stage.untilGone(machines, name);
      expect((await stage.get(pods, 'daemon')).metadata.deletionTimestamp).toBeUndefined();
      expect(await stage.find(nodes, name)).toBeUndefined();
    },
  },
  {
    rule: 'then it waits for its infrastructure to go, deletes its Node, and goes last',
    proves: async (stage) => {
      const [machine] = await stage.buildAvailable();
      const name = machine?.metadata.name ?? '';
      stage.provider.releases = false;
      await stage.delete(machines, name);
      await stage.untilIs([tiny.machines, name], ({ metadata }) => metadata.deletionTimestamp !== undefined);
      expect(await stage.find(nodes, name)).toBeDefined();
      expect((await stage.get(machines, name)).metadata.finalizers).toEqual([finalizers.machine]);
      stage.provider.releases = true;
      await stage.untilGone(machines, name);
      expect(await stage.find(nodes, name)).toBeUndefined();
      expect(await stage.find(tiny.machines, name)).toBeUndefined();
    },
  },
  {
    rule: 'where the Cluster names no control plane, a Machine that is deleted neither drains nor deletes its Node',
    proves: async (stage) => {
      await stage.build({ controlPlane: false });
      stage.provider.opensGate = true;
      const [machine] = await stage.untilRunning(1);
      const name = machine?.metadata.name ?? '';
      await stage.runPod('job', name);
      await stage.delete(machines, name);
      await stage.untilGone(machines, name);
      const node = await stage.get(nodes, name);
      expect([node.metadata.deletionTimestamp, node.spec?.unschedulable]).toEqual([undefined, undefined]);
      expect((await stage.get(pods, 'job')).metadata.deletionTimestamp).toBeUndefined();
    },
  },
  {
    rule: 'a Machine without a Node goes as soon as its infrastructure has gone',
    proves: async (stage) => {
      stage.provider.joins = undefined;
      await stage.build();
      const name = await stage.untilNamed();
      await stage.untilIs([machines, name], ({ status }) => status?.phase === 'Provisioned');
      await stage.delete(machines, name);
      await stage.untilGone(machines, name);
      expect(await stage.find(tiny.machines, name)).toBeUndefined();
    },
  },
];

function readiness(status: string) {
  const lastTransitionTime = '2026-01-01T00:00:00Z';
  return { type: 'Ready', status, reason: 'Overheated', message: 'it is too hot', lastTransitionTime };
}

async function sayNode(stage: Stage, name: string, conditions: readonly object[]): Promise<void> {
  await stage.client.patch(nodes, { name, subresource: 'status' }, { merge: { status: { conditions } } });
}
