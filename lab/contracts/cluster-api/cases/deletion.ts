/** Which objects a deletion takes along, and in which order. */
import { expect } from 'vitest';
import { nodes } from '../../../../src/kube/client/builtin-resources.ts';
import type { Resource } from '../../../../src/kube/client/kube-object.ts';
import { clusters, machineDeployments, machines, machineSets } from '../../../clouds/cluster-api/kinds.ts';
import type { Case } from '../case.ts';
import { tiny } from '../tiny-kinds.ts';

export const deletionCases: readonly Case[] = [
  {
    rule: 'a deleted MachineDeployment deletes its MachineSets and Machines, and is removed after them',
    proves: async (fixture) => {
      const [machine] = await fixture.buildAvailable();
      const name = machine?.metadata.name ?? '';
      const [set] = await fixture.sets();
      fixture.provider.releases = false;
      await fixture.delete(machineDeployments, fixture.name);
      await fixture.untilIs(
        [tiny.machines, name],
        ({ metadata }) => metadata.deletionTimestamp !== undefined,
      );
      const chain: readonly (readonly [Resource, string])[] = [
        [machineDeployments, fixture.name],
        [machineSets, set?.metadata.name ?? ''],
        [machines, name],
      ];
      for (const [kind, one] of chain)
        expect((await fixture.get(kind, one)).metadata.deletionTimestamp, kind.kind).toBeDefined();
      fixture.provider.releases = true;
      await fixture.untilGone(machineDeployments, fixture.name);
      expect([await fixture.sets(), await fixture.machines()]).toEqual([[], []]);
      expect(await fixture.find(tiny.machines, name)).toBeUndefined();
      expect(await fixture.find(nodes, name), 'its Node is deleted too').toBeUndefined();
    },
  },
  {
    rule: 'a deleted Cluster deletes its Machines first, then its control plane, then its infrastructure',
    proves: async (fixture) => {
      const [machine] = await fixture.buildAvailable();
      const name = machine?.metadata.name ?? '';
      fixture.provider.releases = false;
      await fixture.delete(clusters, 'tiny');
      await fixture.untilIs(
        [tiny.machines, name],
        ({ metadata }) => metadata.deletionTimestamp !== undefined,
      );
      expect((await fixture.cluster()).metadata.deletionTimestamp).toBeDefined();
      for (const kind of [tiny.controlPlanes, tiny.clusters])
        expect((await fixture.get(kind, 'tiny')).metadata.deletionTimestamp).toBeUndefined();
      await fixture.letGo(tiny.machines, name);
      await fixture.untilIs(
        [tiny.controlPlanes, 'tiny'],
        ({ metadata }) => metadata.deletionTimestamp !== undefined,
      );
      expect([await fixture.sets(), await fixture.machines()]).toEqual([[], []]);
      expect(await fixture.find(machineDeployments, fixture.name)).toBeUndefined();
      expect((await fixture.get(tiny.clusters, 'tiny')).metadata.deletionTimestamp).toBeUndefined();
      await fixture.letGo(tiny.controlPlanes, 'tiny');
      await fixture.untilIs(
        [tiny.clusters, 'tiny'],
        ({ metadata }) => metadata.deletionTimestamp !== undefined,
      );
      expect(await fixture.find(clusters, 'tiny')).toBeDefined();
      await fixture.letGo(tiny.clusters, 'tiny');
      await fixture.untilGone(clusters, 'tiny');
    },
  },
  {
    rule: 'deleted with their Cluster, Machines are removed without a drain, and their Nodes stay',
    proves: async (fixture) => {
      const [machine] = await fixture.buildAvailable();
      const name = machine?.metadata.name ?? '';
      await fixture.runPod('job', name);
      await fixture.delete(clusters, 'tiny');
      await fixture.untilGone(clusters, 'tiny');
      const node = await fixture.get(nodes, name);
      expect([node.metadata.deletionTimestamp, node.spec?.unschedulable]).toEqual([undefined, undefined]);
      await fixture.endPod('job');
    },
  },
];
