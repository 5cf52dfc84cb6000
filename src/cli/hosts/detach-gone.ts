/**
 * `muster detach --host gone`: confirms that the server of a deleted machine no longer exists, because its zone or the
 * whole provider is gone. Otherwise the machine would wait forever for the state of a server that may still hold files.
 * The command needs a reason, which is recorded in an Event.
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
        isDone ? 'done: the manager removes the machine at its next reconcile\n' : 'nothing to do\n',
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
  if (id === '') throw new Error(`machine ${name} has no host: just delete the machine`);
  if (fleet.hosts.some((host) => host.id === id))
    throw new Error(`host ${shortId(id)} of the machine exists: use --host keep or --host release`);
  if (machine.metadata.deletionTimestamp === undefined)
    throw new Error(
      `machine ${name} is not being deleted; delete it first, and run this only if the deletion does not finish`,
    );
  const { key } = annotations.hostGone;
  if (machine.metadata.annotations?.[key] === id)
    return { plan: [`machine ${name} is already marked to be deleted without server ${id}`] };
  const reason = options.reason ?? '';
  return {
    plan: [
      `machine ${name} names the server ${id}, which has no MacHost`,
      `Confirm that the server no longer exists: ${reason}`,
    ],
    notes: [
      'A server that still exists keeps its files and its costs: look for it in the console of the provider.',
    ],
    write: async () => {
      await cluster.change(machineResource, machine, { annotations: { [key]: id } });
      const message = `An operator confirmed that server ${id} no longer exists; the machine is deleted without releasing it: ${reason}`;
      const event = { type: 'Warning', reason: 'HostCalledGone', message } as const;
      await writeEvent(() => cluster.report(machineResource, machine, event), {
        what: 'the machine is marked',
        warn,
      });
    },
  };
}
