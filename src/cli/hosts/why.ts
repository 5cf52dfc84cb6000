/** `muster why`: the causal chain of one host or machine, from the deciding rule to what would change the state. */
import { isFleetError } from '../../platform/errors/fleet-error.ts';
import type { Metadata } from '../../kube/client/kube-object.ts';
import type { ProcessPorts } from '../process-ports.ts';
import { ageText } from './ages.ts';
import type { Cluster } from './cluster.ts';
import { onCluster } from './connect.ts';
import { findHost, findMachine } from './find-object.ts';
import { readFleet } from './fleet-state.ts';
import type { ReadOptions } from './options.ts';
import { printable } from './table.ts';
import { recentEvents, type ReportedEvent } from './recent-events.ts';
import type { Explanation } from './explanation.ts';
import { explanationText } from './print-explanation.ts';
import { whyHost } from './why-host.ts';
import { whyMachine } from './why-machine.ts';
import { whyForms } from './why-object.ts';

export function runWhy(object: string, options: ReadOptions, ports: ProcessPorts): Promise<void> {
  return onCluster(options, ports, async (cluster) => {
    const fleet = await readFleet(cluster, options);
    const about = isMachine(object) ? aboutMachine(object, fleet) : aboutHost(object, fleet);
    const happened = await eventsFor(about.metadata, cluster);
    const { terminal } = ports;
    if (options.json === true)
      return terminal.out(`${JSON.stringify({ ...about.explanation.json, events: happened }, null, 2)}\n`);
    terminal.out(explanationText(about.explanation));
    terminal.out(eventsText(happened, cluster.now()));
  });
}

/** A host has no namespace. */
function isMachine(object: string): boolean {
  return object.startsWith('machine/') || (object.includes('/') && !object.startsWith('host/'));
}

type FleetNow = Awaited<ReturnType<typeof readFleet>>;

function aboutHost(
  typed: string,
  fleet: FleetNow,
): { readonly metadata: Metadata; readonly explanation: Explanation } {
  const host = findHost(fleet.hosts, typed);
  return { metadata: host.metadata, explanation: whyHost(host, fleet) };
}

function aboutMachine(
  typed: string,
  fleet: FleetNow,
): { readonly metadata: Metadata; readonly explanation: Explanation } {
  const machine = findMachine(fleet.machines, typed, hintFor(typed));
  return { metadata: machine.metadata, explanation: whyMachine(machine, fleet) };
}

/** A name with a namespace and no kind is read as a machine; the hint lists the other forms. */
function hintFor(typed: string): string {
  return typed.startsWith('machine/') ? '' : `; other objects are typed as ${whyForms}`;
}

/** Without the right to read Events the rest is still shown. */
async function eventsFor(metadata: Metadata, cluster: Cluster): Promise<readonly ReportedEvent[] | string> {
  try {
    return recentEvents(await cluster.eventsOf({ metadata }));
  } catch (error) {
    if (!isFleetError(error, 'rejected')) throw error;
    return error.message;
  }
}

function eventsText(events: readonly ReportedEvent[] | string, now: number): string {
  if (typeof events === 'string') return `  failed to read recent events: ${events}\n`;
  if (events.length === 0) return '  no recent events\n';
  const lines = events.map(({ at, type, reason, message, count }) => {
    const times = count > 1 ? ` (${count} times)` : '';
    return `    ${ageText(now - Date.parse(at)).padEnd(6)} ${type.padEnd(7)} ${reason}: ${printable(message)}${times}`;
  });
  return ['  recent events, the newest first', ...lines, ''].join('\n');
}
