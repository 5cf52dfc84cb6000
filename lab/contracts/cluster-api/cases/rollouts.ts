/** Rollouts with the OnDelete strategy: Machines of the old template stay until they are deleted. */
import { expect } from 'vitest';
import { machineDeployments, machines, machineSets } from '../../../clouds/cluster-api/kinds.ts';
import type { Case } from '../case.ts';
import { namesOf, statusOf, type Fixture } from '../harness.ts';
import { tiny } from '../tiny-kinds.ts';

export const rolloutCases: readonly Case[] = [
  {
    rule: 'a new template creates an empty MachineSet, and no Machine is replaced until it is deleted',
    proves: async (fixture) => {
      const before = await fixture.buildAvailable({ replicas: 2 });
      await fixture.switchTo('red');
      expect(await fixture.sets()).toHaveLength(2);
      for (const { metadata } of before)
        await fixture.untilIs([machines, metadata.name], (one) => statusOf(one, 'UpToDate') === 'False');
      await fixture.untilIs(
        [machineDeployments, fixture.name],
        ({ status }) => status?.upToDateReplicas === 0,
      );
      expect(replicasByColour(await fixture.sets())).toEqual({ blue: 2, red: 0 });
      const after = await fixture.machines();
      expect(namesOf(after)).toEqual(namesOf(before));
      expect(after.map(({ metadata }) => metadata.deletionTimestamp)).toEqual([undefined, undefined]);
      expect(statusOf(await fixture.deployment(), 'Available')).toBe('True');
    },
  },
  {
    rule: 'a Machine that is then deleted is replaced from the new template, once it is gone',
    proves: async (fixture) => {
      const [chosen, kept] = namesOf(await fixture.buildAvailable({ replicas: 2 }));
      await fixture.switchTo('red');
      expect(await fixture.sets()).toHaveLength(2);
      await fixture.delete(machines, chosen ?? '');
      await fixture.untilGone(machines, chosen ?? '');
      const after = namesOf(await fixture.untilRunning(2));
      expect(after).toContain(kept);
      const fresh = after.find((name) => name !== kept) ?? '';
      expect((await fixture.get(tiny.machines, fresh)).spec).toMatchObject({ colour: 'red' });
      await fixture.untilIs(
        [machineDeployments, fixture.name],
        ({ status }) => status?.upToDateReplicas === 1,
      );
      expect(replicasByColour(await fixture.sets())).toEqual({ blue: 1, red: 1 });
    },
  },
  {
    rule: 'once all Machines are of the new template, the MachineSet of the old one is deleted',
    proves: async (fixture) => {
      const [name = ''] = namesOf(await fixture.buildAvailable());
      await fixture.switchTo('red');
      expect(await fixture.sets()).toHaveLength(2);
      await fixture.delete(machines, name);
      await fixture.until('one set', async () => ((await fixture.sets()).length === 1 ? true : undefined));
      await fixture.untilRunning(1);
      expect(replicasByColour(await fixture.sets())).toEqual({ red: 1 });
    },
  },
  {
    rule: 'a return to the earlier template uses the earlier MachineSet again',
    proves: async (fixture) => {
      const before = await fixture.buildAvailable();
      const [set] = await fixture.sets();
      await fixture.switchTo('red');
      expect(await fixture.sets()).toHaveLength(2);
      await fixture.untilIs(
        [machineDeployments, fixture.name],
        ({ status }) => status?.upToDateReplicas === 0,
      );
      await fixture.switchTo('blue');
      await fixture.untilIs(
        [machineDeployments, fixture.name],
        ({ status }) => status?.upToDateReplicas === 1,
      );
      expect(namesOf(await fixture.machines())).toEqual(namesOf(before));
      expect(await fixture.find(machineSets, set?.metadata.name ?? '')).toMatchObject({
        spec: { replicas: 1 },
      });
    },
  },
  {
    rule: 'scaling down during a rollout removes Machines of the old MachineSet',
    proves: async (fixture) => {
      const [chosen] = namesOf(await fixture.buildAvailable({ replicas: 3 }));
      await fixture.switchTo('red');
      expect(await fixture.sets()).toHaveLength(2);
      await fixture.delete(machines, chosen ?? '');
      await fixture.untilGone(machines, chosen ?? '');
      await fixture.untilRunning(3);
      await fixture.scale(2);
      await fixture.untilRunning(2);
      expect(replicasByColour(await fixture.sets())).toEqual({ blue: 1, red: 1 });
    },
  },
  {
    rule: 'a Machine being deleted still counts: scaling up creates no other before it is gone',
    proves: async (fixture) => {
      await fixture.buildAvailable({ replicas: 2 });
      await fixture.switchTo('red');
      expect(await fixture.sets()).toHaveLength(2);
      fixture.provider.releases = false;
      await fixture.scale(1);
      await fixture.untilLeaving(1);
      await fixture.scale(2);
      await fixture.untilIs(
        [machineDeployments, fixture.name],
        ({ status, metadata }) => status?.observedGeneration === metadata.generation,
      );
      expect(replicasByColour(await fixture.sets())).toEqual({ blue: 1, red: 0 });
      fixture.provider.releases = true;
      await fixture.untilLeaving(0);
      await fixture.untilRunning(2);
      expect(replicasByColour(await fixture.sets())).toEqual({ blue: 1, red: 1 });
    },
  },
  {
    rule: 'without a new template a Machine that is deleted is replaced by its MachineSet, once it is gone',
    proves: async (fixture) => {
      const [name = ''] = namesOf(await fixture.buildAvailable());
      fixture.provider.releases = false;
      await fixture.delete(machines, name);
      await fixture.untilIs(
        [tiny.machines, name],
        ({ metadata }) => metadata.deletionTimestamp !== undefined,
      );
      expect(namesOf(await fixture.machines())).toEqual([name]);
      fixture.provider.releases = true;
      await fixture.untilGone(machines, name);
      expect(namesOf(await fixture.untilRunning(1))).not.toContain(name);
      expect(await fixture.sets()).toHaveLength(1);
    },
  },
];

function replicasByColour(sets: Awaited<ReturnType<Fixture['sets']>>): Readonly<Record<string, number>> {
  return Object.fromEntries(
    sets.map(({ spec }) => [spec.template.spec.infrastructureRef.name, spec.replicas]),
  );
}
