/** What goes with what, and in which order. */
import { expect } from 'vitest';
import { nodes } from '../../../../runtime/kube/builtin-resources.ts';
import type { Resource } from '../../../../runtime/kube/kube-object.ts';
import { clusters, machineDeployments, machines, machineSets } from '../../kinds.ts';
import type { Case } from '../case.ts';
import { tiny } from '../tiny-kinds.ts';

export const deletionCases: readonly Case[] = [
  {
    rule: 'a MachineDeployment that is deleted deletes its MachineSets and Machines, and goes after them',
    proves: async (stage) => {
      const [machine] = await stage.buildAvailable();
      const name = machine?.metadata.name ?? '';
      const [set] = await stage.sets();
      stage.provider.releases = false;
      await stage.delete(machineDeployments, stage.name);
      await stage.untilIs([tiny.machines, name], ({ metadata }) => metadata.deletionTimestamp !== undefined);
      const chain: readonly (readonly [Resource, string])[] = [
        [machineDeployments, stage.name],
        [machineSets, set?.metadata.name ?? ''],
        [machines, name],
      ];
      for (const [kind, one] of chain)
        expect((await stage.get(kind, one)).metadata.deletionTimestamp, kind.kind).toBeDefined();
      stage.provider.releases = true;
      await stage.untilGone(machineDeployments, stage.name);
      expect([await stage.sets(), await stage.machines()]).toEqual([[], []]);
      expect(await stage.find(tiny.machines, name)).toBeUndefined();
      expect(await stage.find(nodes, name), 'its Node went too').toBeUndefined();
    },
  },
  {
    rule: 'a Cluster that is deleted deletes its Machines first, then its control plane, then its infrastructure',
    proves: async (stage) => {
      const [machine] = await stage.buildAvailable();
      const name = machine?.metadata.name ?? '';
      stage.provider.releases = false;
      await stage.delete(clusters, 'tiny');
      await stage.untilIs([tiny.machines, name], ({ metadata }) => metadata.deletionTimestamp !== undefined);
      expect((await stage.cluster()).metadata.deletionTimestamp).toBeDefined();
      for (const kind of [tiny.controlPlanes, tiny.clusters])
        expect((await stage.get(kind, 'tiny')).metadata.deletionTimestamp).toBeUndefined();
      await stage.letGo(tiny.machines, name);
      await stage.untilIs(
        [tiny.controlPlanes, 'tiny'],
        ({ metadata }) => metadata.deletionTimestamp !== undefined,
      );
      expect([await stage.sets(), await stage.machines()]).toEqual([[], []]);
      expect(await stage.find(machineDeployments, stage.name)).toBeUndefined();
      expect((await stage.get(tiny.clusters, 'tiny')).metadata.deletionTimestamp).toBeUndefined();
      await stage.letGo(tiny.controlPlanes, 'tiny');
      await stage.untilIs(
        [tiny.clusters, 'tiny'],
        ({ metadata }) => metadata.deletionTimestamp !== undefined,
      );
      expect(await stage.find(clusters, 'tiny')).toBeDefined();
      await stage.letGo(tiny.clusters, 'tiny');
      await stage.untilGone(clusters, 'tiny');
    },
  },
  {
    rule: 'with their Cluster, Machines go without a drain and leave their Nodes',
    proves: async (stage) => {
      const [machine] = await stage.buildAvailable();
      const name = machine?.metadata.name ?? '';
      await stage.runPod('job', name);
      await stage.delete(clusters, 'tiny');
      await stage.untilGone(clusters, 'tiny');
      const node = await stage.get(nodes, name);
      expect([node.metadata.deletionTimestamp, node.spec?.unschedulable]).toEqual([undefined, undefined]);
      await stage.endPod('job');
    },
  },
];
