/** How a Cluster comes to stand, and what a pause means. */
import { expect } from 'vitest';
import { annotations, clusters, finalizers, labels, machineDeployments, machines } from '../../kinds.ts';
import type { Case } from '../case.ts';
import { statusOf } from '../stage.ts';
import { tiny } from '../tiny-kinds.ts';

export const clusterCases: readonly Case[] = [
  {
    rule: 'a Cluster gets a finalizer, and what it refers to gets its label and the Cluster as an owner, not as controller',
    proves: async (stage) => {
      await stage.build();
      for (const kind of [tiny.clusters, tiny.controlPlanes]) {
        const owned = await stage.untilIs(
          [kind, 'tiny'],
          ({ metadata }) => metadata.ownerReferences !== undefined && metadata.labels !== undefined,
        );
        const { metadata } = await stage.cluster();
        expect(metadata.finalizers).toEqual([finalizers.cluster]);
        expect(owned.metadata.labels).toMatchObject({ [labels.cluster]: 'tiny' });
        expect(owned.metadata.ownerReferences).toEqual([
          { apiVersion: 'cluster.x-k8s.io/v1beta2', kind: 'Cluster', name: 'tiny', uid: metadata.uid },
        ]);
      }
    },
  },
  {
    rule: 'a Cluster is Provisioning until its infrastructure is there, and then has its endpoint and is Provisioned',
    proves: async (stage) => {
      stage.provider.provisions = false;
      await stage.build();
      const before = await stage.untilIs([clusters, 'tiny'], ({ status }) => status?.phase !== undefined);
      expect(before.status?.phase).toMatch(/^(Pending|Provisioning)$/);
      await stage.untilIs([clusters, 'tiny'], ({ status }) => status?.phase === 'Provisioning');
      stage.provider.provisions = true;
      const after = await stage.untilIs([clusters, 'tiny'], ({ status }) => status?.phase === 'Provisioned');
      expect(after.status?.initialization?.infrastructureProvisioned).toBe(true);
      expect(after.spec.controlPlaneEndpoint).toEqual({ host: '192.0.2.7', port: 6443 });
    },
  },
  {
    rule: 'infrastructure that keeps the older contract says ready instead of provisioned',
    proves: async (stage) => {
      await stage.build({ isOld: true });
      const done = await stage.untilIs([clusters, 'tiny'], ({ status }) => status?.phase === 'Provisioned');
      expect(done.status?.initialization?.infrastructureProvisioned).toBe(true);
    },
  },
  {
    rule: 'infrastructure that was provisioned once stays so, whatever it says later',
    proves: async (stage) => {
      await stage.buildAvailable();
      const object = await stage.get(tiny.clusters, 'tiny');
      await stage.provider.say(tiny.clusters, object, { initialization: { provisioned: false } });
      await stage.scale(2);
      await stage.untilRunning(2);
      expect((await stage.cluster()).status?.initialization?.infrastructureProvisioned).toBe(true);
    },
  },
  {
    rule: 'the control plane counts as initialized once the object that the Cluster names for it says so',
    proves: async (stage) => {
      stage.provider.initializes = false;
      await stage.build();
      const isShut = await stage.untilIs(
        [clusters, 'tiny'],
        (cluster) => statusOf(cluster, 'ControlPlaneInitialized') === 'False',
      );
      expect(isShut.status?.initialization?.controlPlaneInitialized).not.toBe(true);
      stage.provider.initializes = true;
      const isOpen = await stage.untilIs(
        [clusters, 'tiny'],
        ({ status }) => status?.initialization?.controlPlaneInitialized === true,
      );
      expect(statusOf(isOpen, 'ControlPlaneInitialized')).toBe('True');
    },
  },
  {
    rule: 'without such an object it counts once somebody has written the condition on the Cluster, which then stays',
    proves: async (stage) => {
      await stage.build({ controlPlane: false });
      await stage.untilIs(
        [machines, await stage.untilNamed()],
        (one) => statusOf(one, 'NodeHealthy') === 'Unknown',
      );
      stage.provider.opensGate = true;
      await stage.untilRunning(1);
      stage.provider.opensGate = false;
      await stage.scale(2);
      await stage.untilRunning(2);
      expect(statusOf(await stage.cluster(), 'ControlPlaneInitialized')).toBe('True');
    },
  },
  {
    rule: 'while a Cluster is paused nothing of it is worked on, and afterwards all of it is',
    proves: async (stage) => {
      await stage.build({ paused: true });
      await stage.untilIs([clusters, 'tiny'], (one) => statusOf(one, 'Paused') === 'True');
      await stage.untilIs([machineDeployments, stage.name], (one) => statusOf(one, 'Paused') === 'True');
      expect(await stage.sets()).toEqual([]);
      expect((await stage.get(tiny.clusters, 'tiny')).metadata.ownerReferences).toBeUndefined();
      await stage.patch(clusters, 'tiny', { spec: { paused: false } });
      await stage.untilRunning(1);
      expect(statusOf(await stage.deployment(), 'Paused')).toBe('False');
    },
  },
  {
    rule: 'one object that is annotated as paused is left alone, also when it is deleted',
    proves: async (stage) => {
      const [machine] = await stage.buildAvailable();
      const name = machine?.metadata.name ?? '';
      await stage.patch(machines, name, { metadata: { annotations: { [annotations.paused]: '' } } });
      await stage.untilIs([machines, name], (object) => statusOf(object, 'Paused') === 'True');
      await stage.delete(machines, name);
      await stage.scale(2);
      await stage.until('another machine', async () =>
        (await stage.machines()).length === 2 ? true : undefined,
      );
      expect((await stage.get(tiny.machines, name)).metadata.deletionTimestamp).toBeUndefined();
      await stage.patch(machines, name, { metadata: { annotations: { [annotations.paused]: null } } });
      await stage.untilGone(machines, name);
      await stage.untilGone(tiny.machines, name);
    },
  },
];
