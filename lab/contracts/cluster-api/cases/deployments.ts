/** From a MachineDeployment to Machines: scaling and template changes. */
import { expect } from 'vitest';
import {
  annotations,
  finalizers,
  labels,
  machineDeployments,
  machines,
  type Machine,
} from '../../../clouds/cluster-api/kinds.ts';
import type { Case } from '../case.ts';
import { namesOf, statusOf, type Fixture } from '../harness.ts';
import { tiny } from '../tiny-kinds.ts';
import { healthyNode } from '../tiny-provider.ts';

export const deploymentCases: readonly Case[] = [
  {
    rule: 'a MachineDeployment belongs to its Cluster, and creates one MachineSet with its name as prefix and itself as owner',
    proves: async (fixture) => {
      await fixture.buildAvailable({ replicas: 2 });
      const [cluster, deployment, sets] = [
        await fixture.cluster(),
        await fixture.deployment(),
        await fixture.sets(),
      ];
      expect(deployment.metadata.finalizers).toEqual([finalizers.machineDeployment]);
      expect(deployment.metadata.ownerReferences).toEqual([
        expect.objectContaining({ kind: 'Cluster', name: 'tiny', uid: cluster.metadata.uid }),
      ]);
      expect(sets).toEqual([
        expect.objectContaining({
          metadata: expect.objectContaining({
            name: expect.stringMatching(new RegExp(`^${fixture.name}-[a-z0-9]{5}$`)),
            finalizers: [finalizers.machineSet],
            labels: expect.objectContaining({ [labels.cluster]: 'tiny', [labels.deployment]: fixture.name }),
            ownerReferences: [
              expect.objectContaining({
                kind: 'MachineDeployment',
                uid: deployment.metadata.uid,
                controller: true,
              }),
            ],
          }),
          spec: expect.objectContaining({ clusterName: 'tiny', replicas: 2 }),
        }),
      ]);
    },
  },
  {
    rule: 'Machines have the name of their MachineSet as prefix, the MachineSet as owner, its labels and a finalizer',
    proves: async (fixture) => {
      const all = await fixture.buildAvailable({ replicas: 2 });
      const [set] = await fixture.sets();
      const setName = set?.metadata.name ?? '';
      const hash = set?.spec.template.metadata?.labels?.[labels.templateHash];
      for (const { metadata, spec } of all) {
        expect(metadata.name).toMatch(new RegExp(`^${setName}-[a-z0-9]{5}$`));
        expect(metadata.finalizers).toEqual([finalizers.machine]);
        expect(metadata.labels).toMatchObject({
          pool: 'pool',
          [labels.cluster]: 'tiny',
          [labels.deployment]: fixture.name,
          [labels.set]: setName,
          [labels.templateHash]: hash,
        });
        expect(metadata.ownerReferences).toEqual([
          expect.objectContaining({ kind: 'MachineSet', uid: set?.metadata.uid, controller: true }),
        ]);
        expect(spec).toMatchObject({
          clusterName: 'tiny',
          bootstrap: { dataSecretName: 'bootstrap' },
          infrastructureRef: { apiGroup: 'tiny.muster.dev', kind: 'TinyMachine', name: metadata.name },
        });
      }
    },
  },
  {
    rule: 'each Machine controls an infrastructure object of its own name, cloned from the template',
    proves: async (fixture) => {
      const [machine] = await fixture.buildAvailable();
      const { name = '', uid } = machine?.metadata ?? {};
      const { metadata, spec } = await fixture.get(tiny.machines, name);
      expect(spec).toMatchObject({ colour: 'blue' });
      expect(metadata.labels).toMatchObject({
        pool: 'pool',
        [labels.cluster]: 'tiny',
        [labels.deployment]: fixture.name,
      });
      expect(metadata.annotations).toMatchObject({
        [annotations.clonedFromName]: 'blue',
        [annotations.clonedFromKind]: 'TinyMachineTemplate.tiny.muster.dev',
      });
      expect(metadata.ownerReferences).toEqual([
        expect.objectContaining({ kind: 'Machine', name, uid, controller: true }),
      ]);
    },
  },
  {
    rule: 'the template of the infrastructure belongs to the Cluster',
    proves: async (fixture) => {
      await fixture.buildAvailable();
      const { metadata } = await fixture.cluster();
      expect((await fixture.get(tiny.templates, 'blue')).metadata.ownerReferences).toEqual([
        expect.objectContaining({ kind: 'Cluster', uid: metadata.uid }),
      ]);
    },
  },
  {
    rule: 'a MachineDeployment counts its Machines, and is Available when the desired number is available',
    proves: async (fixture) => {
      fixture.provider.joins = undefined;
      await fixture.build({ replicas: 2 });
      const waiting = await fixture.untilIs(
        [machineDeployments, fixture.name],
        (one) => one.status?.replicas === 2 && statusOf(one, 'Available') === 'False',
      );
      expect(waiting.status).toMatchObject({ readyReplicas: 0, availableReplicas: 0 });
      fixture.provider.joins = healthyNode;
      const done = await fixture.untilIs(
        [machineDeployments, fixture.name],
        (one) => statusOf(one, 'Available') === 'True' && one.status?.availableReplicas === 2,
      );
      expect(done.status).toMatchObject({ replicas: 2, readyReplicas: 2, upToDateReplicas: 2 });
    },
  },
  {
    rule: 'scaling up adds Machines and keeps the existing Machines',
    proves: async (fixture) => {
      const before = await fixture.buildAvailable();
      await fixture.scale(3);
      const after = await fixture.untilRunning(3);
      expect(namesOf(after)).toEqual(expect.arrayContaining([...namesOf(before)]));
      expect(await fixture.sets()).toHaveLength(1);
    },
  },
  {
    rule: 'scaling down removes the newest Machines where the delete policy says so',
    proves: async (fixture) => {
      const first = await fixture.buildAvailable({ order: 'Newest' });
      await nextSecond(fixture, first);
      await fixture.scale(3);
      await fixture.untilRunning(3);
      await fixture.scale(1);
      expect(namesOf(await fixture.untilRunning(1))).toEqual(namesOf(first));
    },
  },
  {
    rule: 'scaling down removes the oldest Machines where the delete policy says so',
    proves: async (fixture) => {
      const first = await fixture.buildAvailable({ order: 'Oldest' });
      await nextSecond(fixture, first);
      await fixture.scale(2);
      const both = await fixture.untilRunning(2);
      await fixture.scale(1);
      const left = namesOf(await fixture.untilRunning(1));
      expect(left).toEqual(namesOf(both).filter((name) => !namesOf(first).includes(name)));
    },
  },
  {
    rule: 'scaling down removes Machines without a Node before those with a Node, and then by name',
    proves: async (fixture) => {
      const running = await fixture.buildAvailable({ replicas: 3 });
      fixture.provider.joins = undefined;
      await fixture.scale(4);
      await fixture.until('a fourth machine', async () =>
        (await fixture.machines()).length === 4 ? true : undefined,
      );
      await fixture.scale(3);
      expect(namesOf(await fixture.untilRunning(3))).toEqual(namesOf(running));
      await fixture.scale(1);
      expect(namesOf(await fixture.untilRunning(1))).toEqual(namesOf(running).toSorted().slice(-1));
    },
  },
  {
    rule: 'scaling down counts a Machine that is already being deleted as one of the removed',
    proves: async (fixture) => {
      const [chosen = ''] = namesOf(await fixture.buildAvailable({ replicas: 3 }));
      fixture.provider.releases = false;
      await fixture.delete(machines, chosen);
      await fixture.untilLeaving(1);
      await fixture.scale(1);
      expect(namesOf(await fixture.untilLeaving(2))).toContain(chosen);
      fixture.provider.releases = true;
      await fixture.untilRunning(1);
    },
  },
  {
    rule: 'scaling down removes annotated Machines first, under any delete policy',
    proves: async (fixture) => {
      const first = await fixture.buildAvailable({ order: 'Newest' });
      await nextSecond(fixture, first);
      await fixture.scale(3);
      const all = namesOf(await fixture.untilRunning(3));
      const [chosen = ''] = namesOf(first);
      await fixture.patch(machines, chosen, {
        metadata: { annotations: { [annotations.deleteFirst]: 'yes' } },
      });
      await fixture.untilIs([machines, chosen], ({ metadata }) => metadata.annotations !== undefined);
      await fixture.scale(2);
      expect(namesOf(await fixture.untilRunning(2))).toEqual(all.filter((name) => name !== chosen));
    },
  },
];

/** Ages are whole seconds: the next Machine is younger only in the next second. */
async function nextSecond(fixture: Fixture, first: readonly Machine[]): Promise<void> {
  const [born] = first.map(({ metadata }) => metadata.creationTimestamp);
  let round = 0;
  await fixture.until('the next second', async () => {
    round += 1;
    const probe = await fixture.make(probes, `probe-${round}`, { data: {} });
    return probe.metadata.creationTimestamp === born ? undefined : true;
  });
}

const probes = { group: '', version: 'v1', plural: 'configmaps', kind: 'ConfigMap', namespaced: true };
