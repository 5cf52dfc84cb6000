/** What becomes of Machines when the template of their deployment changes, and they stay until they are deleted. */
import { expect } from 'vitest';
import { machineDeployments, machines, machineSets } from '../../kinds.ts';
import type { Case } from '../case.ts';
import { namesOf, statusOf, type Stage } from '../stage.ts';
import { tiny } from '../tiny-kinds.ts';

export const rolloutCases: readonly Case[] = [
  {
    rule: 'another template makes an empty MachineSet of its own, and no Machine is touched until it is deleted',
    proves: async (stage) => {
      const before = await stage.buildAvailable({ replicas: 2 });
      await stage.turnTo('red');
      expect(await stage.sets()).toHaveLength(2);
      for (const { metadata } of before)
        await stage.untilIs([machines, metadata.name], (one) => statusOf(one, 'UpToDate') === 'False');
      await stage.untilIs([machineDeployments, stage.name], ({ status }) => status?.upToDateReplicas === 0);
      expect(replicasByColour(await stage.sets())).toEqual({ blue: 2, red: 0 });
      const after = await stage.machines();
      expect(namesOf(after)).toEqual(namesOf(before));
      expect(after.map(({ metadata }) => metadata.deletionTimestamp)).toEqual([undefined, undefined]);
      expect(statusOf(await stage.deployment(), 'Available')).toBe('True');
    },
  },
  {
    rule: 'a Machine that is deleted then is replaced from the new template, once it is gone',
    proves: async (stage) => {
      const [chosen, kept] = namesOf(await stage.buildAvailable({ replicas: 2 }));
      await stage.turnTo('red');
      expect(await stage.sets()).toHaveLength(2);
      await stage.delete(machines, chosen ?? '');
      await stage.untilGone(machines, chosen ?? '');
      const after = namesOf(await stage.untilRunning(2));
      expect(after).toContain(kept);
      const fresh = after.find((name) => name !== kept) ?? '';
      expect((await stage.get(tiny.machines, fresh)).spec).toMatchObject({ colour: 'red' });
      await stage.untilIs([machineDeployments, stage.name], ({ status }) => status?.upToDateReplicas === 1);
      expect(replicasByColour(await stage.sets())).toEqual({ blue: 1, red: 1 });
    },
  },
  {
    rule: 'once all Machines are of the new template, the MachineSet of the old one is deleted',
    proves: async (stage) => {
      const [name = ''] = namesOf(await stage.buildAvailable());
      await stage.turnTo('red');
      expect(await stage.sets()).toHaveLength(2);
      await stage.delete(machines, name);
      await stage.until('one set', async () => ((await stage.sets()).length === 1 ? true : undefined));
      await stage.untilRunning(1);
      expect(replicasByColour(await stage.sets())).toEqual({ red: 1 });
    },
  },
  {
    rule: 'the template from before is taken up again by the MachineSet that had it',
    proves: async (stage) => {
      const before = await stage.buildAvailable();
      const [set] = await stage.sets();
      await stage.turnTo('red');
      expect(await stage.sets()).toHaveLength(2);
      await stage.untilIs([machineDeployments, stage.name], ({ status }) => status?.upToDateReplicas === 0);
      await stage.turnTo('blue');
      await stage.untilIs([machineDeployments, stage.name], ({ status }) => status?.upToDateReplicas === 1);
      expect(namesOf(await stage.machines())).toEqual(namesOf(before));
      expect(await stage.find(machineSets, set?.metadata.name ?? '')).toMatchObject({
        spec: { replicas: 1 },
      });
    },
  },
  {
    rule: 'scaling down in the middle of that takes Machines of the old MachineSet',
    proves: async (stage) => {
      const [chosen] = namesOf(await stage.buildAvailable({ replicas: 3 }));
      await stage.turnTo('red');
      expect(await stage.sets()).toHaveLength(2);
      await stage.delete(machines, chosen ?? '');
      await stage.untilGone(machines, chosen ?? '');
      await stage.untilRunning(3);
      await stage.scale(2);
      await stage.untilRunning(2);
      expect(replicasByColour(await stage.sets())).toEqual({ blue: 1, red: 1 });
    },
  },
  {
    rule: 'a Machine that is leaving keeps its place: scaling up again makes no other before it has gone',
    proves: async (stage) => {
      await stage.buildAvailable({ replicas: 2 });
      await stage.turnTo('red');
      expect(await stage.sets()).toHaveLength(2);
      stage.provider.releases = false;
      await stage.scale(1);
      await stage.untilLeaving(1);
      await stage.scale(2);
      await stage.untilIs(
        [machineDeployments, stage.name],
        ({ status, metadata }) => status?.observedGeneration === metadata.generation,
      );
      expect(replicasByColour(await stage.sets())).toEqual({ blue: 1, red: 0 });
      stage.provider.releases = true;
      await stage.untilLeaving(0);
      await stage.untilRunning(2);
      expect(replicasByColour(await stage.sets())).toEqual({ blue: 1, red: 1 });
    },
  },
  {
    rule: 'without a new template a Machine that is deleted is replaced by its MachineSet, once it is gone',
    proves: async (stage) => {
      const [name = ''] = namesOf(await stage.buildAvailable());
      stage.provider.releases = false;
      await stage.delete(machines, name);
      await stage.untilIs([tiny.machines, name], ({ metadata }) => metadata.deletionTimestamp !== undefined);
      expect(namesOf(await stage.machines())).toEqual([name]);
      stage.provider.releases = true;
      await stage.untilGone(machines, name);
      expect(namesOf(await stage.untilRunning(1))).not.toContain(name);
      expect(await stage.sets()).toHaveLength(1);
    },
  },
];

function replicasByColour(sets: Awaited<ReturnType<Stage['sets']>>): Readonly<Record<string, number>> {
  return Object.fromEntries(
    sets.map(({ spec }) => [spec.template.spec.infrastructureRef.name, spec.replicas]),
  );
}
