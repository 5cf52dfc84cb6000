/**
 * `muster detach`: takes a machine off its host and deletes the machine. The order of the steps prevents that the
 * deleted machine gets a new host, and that the old host is forgotten. The objects show which steps are done, so that
 * another run continues after an interruption.
 */
import { annotations } from '../../api/names/annotations.ts';
import type { ProcessPorts } from '../process-ports.ts';
import { confirm } from './confirm-and-apply.ts';
import { reported, type ChangeReport } from './change-report.ts';
import type { Cluster } from './cluster.ts';
import { onCluster } from './connect.ts';
import {
  detachedHost,
  isReleasing,
  pendingSteps,
  planLines,
  refuseOtherSpeakers,
  type Detaching,
  type DetachOptions,
} from './detach-steps.ts';
import { doStep } from './detach-actions.ts';
import { findMachine, shortId } from './find-object.ts';
import { machineName, type FleetMachine } from './fleet-objects.ts';
import { readFleet } from './fleet-state.ts';
import { printable } from './table.ts';

const roundsMax = 20;

export function runDetach(typed: string, options: DetachOptions, ports: ProcessPorts): Promise<void> {
  return onCluster(options, ports, (cluster) =>
    reported(ports, options, (report) => detach(typed, options, { cluster, report })),
  );
}

async function detach(typed: string, options: DetachOptions, context: StoryContext): Promise<void> {
  const { cluster, report } = context;
  const { terminal } = report.ports;
  const first = await begin(typed, options, context);
  if (first === undefined) return;
  const plan = planLines(first).map(printable);
  report.planned(plan);
  terminal.out(plan.map((line) => `${line}\n`).join(''));
  await confirm(report.ports, options);
  // Each round reads again and does the first pending step, so that every step is decided on a fresh read.
  let now: Detaching | undefined = first;
  for (let round = 0; now !== undefined && round < roundsMax; round += 1) {
    const [step] = pendingSteps(now);
    if (step === undefined) return finish(report, `machine ${machineName(now.machine)} is being deleted`);
    await doStep(step, now, context);
    now = await lookAgain(first, cluster);
  }
  if (now !== undefined)
    throw new Error(
      'other clients keep changing the objects: stopped here. Run the command again to continue',
    );
  finish(report, `machine ${machineName(first.machine)} is gone`);
}

function finish(report: ChangeReport, text: string, what = 'done'): void {
  report.saw(what, { isDone: true, text });
  report.ports.terminal.out(`${what}: ${text}\n`);
}

interface StoryContext {
  readonly cluster: Cluster;
  readonly report: ChangeReport;
}

/** Undefined when everything was done by an earlier run. */
async function begin(
  typed: string,
  options: DetachOptions,
  { cluster, report }: StoryContext,
): Promise<Detaching | undefined> {
  const fleet = await readFleet(cluster, options);
  const name = typed.replace(/^machine\//, '');
  report.about(`machine/${name}`);
  const kept = fleet.hosts.find(
    ({ spec }) => spec.hold?.reason.startsWith(`detached from ${name} `) === true,
  );
  if (kept !== undefined && !fleet.machines.some((machine) => machineName(machine) === name)) {
    finish(report, `machine ${name} is gone, and host ${shortId(kept.id)} is on hold`, 'done already');
    return undefined;
  }
  const machine = findMachine(fleet.machines, name);
  const detaching = { machine, host: detachedHost(machine, fleet), fleet, options };
  refuseTooLate(detaching);
  refuseOtherSpeakers(detaching);
  if (options.host === 'keep' && isReleasing(detaching))
    throw new Error('an earlier run ordered the host to be wiped; continue with --host release');
  return detaching;
}

/**
 * The controller already releases the host of a deleted machine. Only a run that an earlier run prepared may continue.
 */
function refuseTooLate(detaching: Detaching): void {
  const { machine, host } = detaching;
  const open = pendingSteps(detaching).filter((step) => step !== 'delete');
  if (machine.metadata.deletionTimestamp === undefined || open.length === 0) return;
  throw new Error(
    `machine ${machineName(machine)} is being deleted already, ${host === undefined ? 'and waits for the state of its server; if the provider can no longer be asked: --host gone --reason TEXT' : `which releases its host; see: muster why host/${shortId(host.id)}`}`,
  );
}

async function lookAgain(first: Detaching, cluster: Cluster): Promise<Detaching | undefined> {
  const fleet = await readFleet(cluster, first.options);
  const { uid } = first.machine.metadata;
  const machine = fleet.machines.find(({ metadata }) => metadata.uid === uid);
  if (machine === undefined) return undefined;
  refuseUnpaused(first.machine, machine);
  return { ...first, machine, host: detachedHost(machine, fleet), fleet };
}

/** An operator who removes the pause wants the manager to act, and the manager may act at any moment: stop. */
function refuseUnpaused(before: FleetMachine, now: FleetMachine): void {
  const { key } = annotations.paused;
  if (now.metadata.annotations?.[key] !== undefined || before.metadata.annotations?.[key] === undefined)
    return;
  throw new Error('the pause was removed meanwhile: stopped here. Run the command again to continue');
}
