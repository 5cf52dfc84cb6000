/**
 * `muster detach --host gone`: lets a machine go whose server nobody can be asked about any more, because its zone or the whole
 * provider is gone. The machine would otherwise wait for ever for a word about a server that may still hold files. Whoever does it
 * says why, and that is kept as an Event.
 */
import { annotations } from '../../api/names/annotations.ts';
import type { ProcessPorts } from '../process-ports.ts';
import { confirmAndApply, type Proposal } from './confirm-and-apply.ts';
import { reported } from './change-report.ts';
import type { Cluster } from './cluster.ts';
import { onCluster } from './connect.ts';
import type { DetachOptions } from './detach-steps.ts';
import { findMachine, shortId } from './find-object.ts';
import { machineName, machineResource } from './fleet-objects.ts';
import { readFleet } from './fleet-state.ts';
import { writeEvent } from './write-event.ts';

export function runDetachGone(typed: string, options: DetachOptions, ports: ProcessPorts): Promise<void> {
  return onCluster(options, ports, (cluster) =>
    reported(ports, options, async (report) => {
      report.about(`machine/${typed.replace(/^machine\//, '')}`);
      const isDone = await confirmAndApply(
        report,
        () => propose(typed, options, { cluster, warn: report.ports.terminal.err }),
        options,
      );
      report.ports.terminal.out(
        isDone ? 'done: the manager lets it go at its next visit\n' : 'nothing to do\n',
      );
    }),
  );
}

interface StoryContext {
  readonly cluster: Cluster;
  readonly warn: (text: string) => void;
}

async function propose(
  typed: string,
  options: DetachOptions,
  { cluster, warn }: StoryContext,
): Promise<Proposal> {
  const fleet = await readFleet(cluster, options);
  const machine = findMachine(fleet.machines, typed.replace(/^machine\//, ''));
  const name = machineName(machine);
  const id = machine.status.serverID ?? '';
  if (id === '') throw new Error(`machine ${name} has no host: delete it as it is`);
  if (fleet.hosts.some((host) => host.id === id))
    throw new Error(`its host ${shortId(id)} is known: give --host keep or --host release`);
  if (machine.metadata.deletionTimestamp === undefined)
    throw new Error(
      `machine ${name} is not being deleted; delete it first, and do this only if it does not go`,
    );
  const { key } = annotations.hostGone;
  if (machine.metadata.annotations?.[key] === id)
    return { plan: [`machine ${name} may go without ${id} already`] };
  const reason = options.reason ?? '';
  return {
    plan: [
      `machine ${name} had the server ${id}, of which there is no MacHost`,
      `Call that server gone for good: ${reason}`,
    ],
    notes: [
      'If it exists after all, it goes on costing and keeps its files: look for it in the console of the provider.',
    ],
    write: async () => {
      await cluster.change(machineResource, machine, { annotations: { [key]: id } });
      const message = `a person lets it go without its server ${id}: ${reason}`;
      const event = { type: 'Warning', reason: 'HostCalledGone', message } as const;
      await writeEvent(() => cluster.report(machineResource, machine, event), {
        what: 'the machine may go',
        warn,
      });
    },
  };
}
