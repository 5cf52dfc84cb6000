/** `muster machines`: the progress of each machine, and what the machine waits for. */
import type { ProcessPorts } from '../process-ports.ts';
import { sinceText } from './ages.ts';
import { onCluster } from './connect.ts';
import { shortId } from './find-object.ts';
import { conditionOf, isDeleting, isPaused, machineName, type FleetMachine } from './fleet-objects.ts';
import type { ClusterOptions } from './options.ts';
import { tableText, type Column } from './table.ts';

export interface MachinesOptions extends ClusterOptions {
  readonly namespace?: string;
  readonly wide?: true;
  readonly json?: true;
}

export function runMachines(options: MachinesOptions, ports: ProcessPorts): Promise<void> {
  return onCluster(options, ports, async (cluster) => {
    const machines = (await cluster.machines(options.namespace)).toSorted((one, other) =>
      machineName(one) < machineName(other) ? -1 : 1,
    );
    const { terminal } = ports;
    if (options.json === true)
      return terminal.out(`${JSON.stringify({ machines: machines.map(jsonOf) }, null, 2)}\n`);
    if (machines.length > 0) terminal.out(tableText(columnsAt(cluster.now()), machines, options.wide));
    const ready = machines.filter((machine) => stateOf(machine, 'Ready') === 'True').length;
    terminal.out(`${machines.length} machines, ${ready} ready\n`);
  });
}

function columnsAt(now: number): readonly Column<FleetMachine>[] {
  return [
    { title: 'MACHINE', cell: machineName, least: 24 },
    { title: 'PHASE', cell: ({ status }) => status.phase ?? '-' },
    { title: 'HOST', cell: ({ status }) => shortId(status.serverID ?? '') || '-' },
    { title: 'PROVISIONED', cell: (machine) => stateOf(machine, 'Provisioned') },
    { title: 'BOOTSTRAPPED', cell: (machine) => stateOf(machine, 'Bootstrapped') },
    { title: 'READY', cell: (machine) => stateOf(machine, 'Ready') },
    { title: 'WHY NOT', cell: (machine) => whyNot(machine) ?? '-', least: 8 },
    { title: 'AGE', cell: ({ metadata }) => sinceText(metadata.creationTimestamp, now) },
  ];
}

/** Older providers wrote `status.ready` instead of a Ready condition. */
function stateOf(machine: FleetMachine, type: 'Provisioned' | 'Bootstrapped' | 'Ready'): string {
  const reported = conditionOf(machine, type)?.status;
  return reported ?? (type === 'Ready' && machine.status.ready === true ? 'True' : '-');
}

/** A deletion or pause comes first, then the earliest condition that is not met. */
export function whyNot(machine: FleetMachine): string | undefined {
  if (isDeleting(machine)) return reasonWhile(machine, 'Releasing', 'True') ?? 'Deleting';
  if (isPaused(machine)) return 'Paused';
  return (
    reasonWhile(machine, 'Stalled', 'True') ??
    reasonWhile(machine, 'Provisioned', 'False') ??
    reasonWhile(machine, 'Bootstrapped', 'False') ??
    reasonWhile(machine, 'Ready', 'False')
  );
}

function reasonWhile(machine: FleetMachine, type: string, status: string): string | undefined {
  const condition = conditionOf(machine, type);
  return condition?.status === status ? condition.reason : undefined;
}

function jsonOf(machine: FleetMachine) {
  const { metadata, status } = machine;
  return {
    namespace: metadata.namespace,
    name: metadata.name,
    phase: status.phase,
    host: status.serverID,
    provisioned: stateOf(machine, 'Provisioned'),
    bootstrapped: stateOf(machine, 'Bootstrapped'),
    ready: stateOf(machine, 'Ready'),
    whyNot: whyNot(machine),
    created: metadata.creationTimestamp,
  };
}
