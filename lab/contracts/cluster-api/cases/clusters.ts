/** How a Cluster becomes ready, and what a pause means. */
import { expect } from 'vitest';
import {
  annotations,
  clusters,
  finalizers,
  labels,
  machineDeployments,
  machines,
} from '../../../clouds/cluster-api/kinds.ts';
import type { Case } from '../case.ts';
import { statusOf } from '../harness.ts';
import { tiny } from '../tiny-kinds.ts';

export const clusterCases: readonly Case[] = [
  {
    rule: 'a Cluster gets a finalizer, and its referenced objects get its label and the Cluster as owner, not as controller',
    proves: async (fixture) => {
      await fixture.build();
      for (const kind of [tiny.clusters, tiny.controlPlanes]) {
        const owned = await fixture.untilIs(
          [kind, 'tiny'],
          ({ metadata }) => metadata.ownerReferences !== undefined && metadata.labels !== undefined,
        );
        const { metadata } = await fixture.cluster();
        expect(metadata.finalizers).toEqual([finalizers.cluster]);
        expect(owned.metadata.labels).toMatchObject({ [labels.cluster]: 'tiny' });
        expect(owned.metadata.ownerReferences).toEqual([
          { apiVersion: 'cluster.x-k8s.io/v1beta2', kind: 'Cluster', name: 'tiny', uid: metadata.uid },
        ]);
      }
    },
  },
  {
    rule: 'a Cluster is Provisioning until its infrastructure is provisioned, and then has its endpoint and is Provisioned',
    proves: async (fixture) => {
      fixture.provider.provisions = false;
      await fixture.build();
      const before = await fixture.untilIs([clusters, 'tiny'], ({ status }) => status?.phase !== undefined);
      expect(before.status?.phase).toMatch(/^(Pending|Provisioning)$/);
      await fixture.untilIs([clusters, 'tiny'], ({ status }) => status?.phase === 'Provisioning');
      fixture.provider.provisions = true;
      const after = await fixture.untilIs(
        [clusters, 'tiny'],
        ({ status }) => status?.phase === 'Provisioned',
      );
      expect(after.status?.initialization?.infrastructureProvisioned).toBe(true);
      expect(after.spec.controlPlaneEndpoint).toEqual({ host: '192.0.2.7', port: 6443 });
    },
  },
  {
    rule: 'infrastructure of the older contract reports ready instead of provisioned',
    proves: async (fixture) => {
      await fixture.build({ isOld: true });
      const done = await fixture.untilIs([clusters, 'tiny'], ({ status }) => status?.phase === 'Provisioned');
      expect(done.status?.initialization?.infrastructureProvisioned).toBe(true);
    },
  },
  {
    rule: 'infrastructure that was provisioned once stays provisioned, whatever its status says later',
    proves: async (fixture) => {
      await fixture.buildAvailable();
      const object = await fixture.get(tiny.clusters, 'tiny');
      await fixture.provider.say(tiny.clusters, object, { initialization: { provisioned: false } });
      await fixture.scale(2);
      await fixture.untilRunning(2);
      expect((await fixture.cluster()).status?.initialization?.infrastructureProvisioned).toBe(true);
    },
  },
  {
    rule: 'the control plane counts as initialized once the control plane object of the Cluster reports that',
    proves: async (fixture) => {
      fixture.provider.initializes = false;
      await fixture.build();
      const isShut = await fixture.untilIs(
        [clusters, 'tiny'],
        (cluster) => statusOf(cluster, 'ControlPlaneInitialized') === 'False',
      );
      expect(isShut.status?.initialization?.controlPlaneInitialized).not.toBe(true);
      fixture.provider.initializes = true;
      const isOpen = await fixture.untilIs(
        [clusters, 'tiny'],
        ({ status }) => status?.initialization?.controlPlaneInitialized === true,
      );
      expect(statusOf(isOpen, 'ControlPlaneInitialized')).toBe('True');
    },
  },
  {
    rule: 'without a control plane object, a condition written on the Cluster counts, and stays',
    proves: async (fixture) => {
      await fixture.build({ controlPlane: false });
      await fixture.untilIs(
        [machines, await fixture.untilNamed()],
        (one) => statusOf(one, 'NodeHealthy') === 'Unknown',
      );
      fixture.provider.opensGate = true;
      await fixture.untilRunning(1);
      fixture.provider.opensGate = false;
      await fixture.scale(2);
      await fixture.untilRunning(2);
      expect(statusOf(await fixture.cluster(), 'ControlPlaneInitialized')).toBe('True');
    },
  },
  {
    rule: 'while a Cluster is paused no object of it is reconciled, and afterwards all are',
    proves: async (fixture) => {
      await fixture.build({ paused: true });
      await fixture.untilIs([clusters, 'tiny'], (one) => statusOf(one, 'Paused') === 'True');
      await fixture.untilIs([machineDeployments, fixture.name], (one) => statusOf(one, 'Paused') === 'True');
      expect(await fixture.sets()).toEqual([]);
      expect((await fixture.get(tiny.clusters, 'tiny')).metadata.ownerReferences).toBeUndefined();
      await fixture.patch(clusters, 'tiny', { spec: { paused: false } });
      await fixture.untilRunning(1);
      expect(statusOf(await fixture.deployment(), 'Paused')).toBe('False');
    },
  },
  {
    rule: 'a single object that is annotated as paused is not reconciled, even when it is deleted',
    proves: async (fixture) => {
      const [machine] = await fixture.buildAvailable();
      const name = machine?.metadata.name ?? '';
      await fixture.patch(machines, name, { metadata: { annotations: { [annotations.paused]: '' } } });
      await fixture.untilIs([machines, name], (object) => statusOf(object, 'Paused') === 'True');
      await fixture.delete(machines, name);
      await fixture.scale(2);
      await fixture.until('another machine', async () =>
        (await fixture.machines()).length === 2 ? true : undefined,
      );
      expect((await fixture.get(tiny.machines, name)).metadata.deletionTimestamp).toBeUndefined();
      await fixture.patch(machines, name, { metadata: { annotations: { [annotations.paused]: null } } });
      await fixture.untilGone(machines, name);
      await fixture.untilGone(tiny.machines, name);
    },
  },
];
