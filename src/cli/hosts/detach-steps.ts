/** The steps of a detach, each with a check whether it is done. This file changes nothing. */
import { annotations } from '../../api/names/annotations.ts';
import { evidenceOf, nameOf, waysText } from './evidence.ts';
import { shortId } from './find-object.ts';
import {
  conditionOf,
  isDeleting,
  isPaused,
  machineName,
  ownerOf,
  type FleetHost,
  type FleetMachine,
} from './fleet-objects.ts';
import { hostOfMachine, type Fleet } from './fleet-state.ts';
import type { ChangeOptions } from './options.ts';
import { choosePoolPrefix } from './pool-prefix.ts';

export interface DetachOptions extends ChangeOptions {
  readonly host: 'keep' | 'release' | 'gone';
  readonly reason?: string;
  readonly poolPrefix?: string;
}

export interface Detaching {
  readonly machine: FleetMachine;
  readonly host: FleetHost | undefined;
  readonly fleet: Fleet;
  readonly options: DetachOptions;
}

const detachSteps = [
  'pause',
  'see-pause',
  'hold',
  'forget-provider-id',
  'forget-server',
  'settle',
  'delete',
] as const;
export type DetachStep = (typeof detachSteps)[number];

/** Without the pause, a machine without a host would look new, and the manager would give it another host. */
const isDone: Readonly<Record<DetachStep, (detaching: Detaching) => boolean>> = {
  pause: ({ machine }) => isPaused(machine),
  'see-pause': ({ machine, options }) =>
    options.timeout === 0 || isForgotten(machine) || conditionOf(machine, 'Paused')?.status === 'True',
  hold: ({ machine, host }) => host === undefined || isMarked(host, machine),
  'forget-provider-id': ({ machine }) => (machine.spec.providerID ?? '') === '' && !meansHost(machine),
  'forget-server': ({ machine }) => (machine.status.serverID ?? '') === '',
  settle: (detaching) => detaching.host === undefined || isSettled(detaching.host, detaching),
  delete: ({ machine }) => isDeleting(machine),
};

export function pendingSteps(detaching: Detaching): readonly DetachStep[] {
  return detachSteps.filter((step) => !isDone[step](detaching));
}

function isForgotten(machine: FleetMachine): boolean {
  const { spec, status } = machine;
  return (status.serverID ?? '') === '' && (spec.providerID ?? '') === '' && !meansHost(machine);
}

/** The annotation also names the host. If it stayed, the manager would restore the binding at once. */
function meansHost({ metadata }: FleetMachine): boolean {
  return metadata.annotations?.[annotations.host.key] !== undefined;
}

/** Written into the hold of the host, so that a later run finds the host after the machine's fields are cleared. */
export function markOf(machine: FleetMachine): string {
  return `detached from ${machineName(machine)} (uid ${machine.metadata.uid})`;
}

function isMarked({ spec }: FleetHost, machine: FleetMachine): boolean {
  const texts = [spec.hold?.reason, spec.release?.orderedBy];
  return texts.some((text) => text?.includes(markOf(machine)) === true);
}

function isSettled({ spec }: FleetHost, detaching: Detaching): boolean {
  if (detaching.options.host === 'keep')
    return spec.claim?.uid !== detaching.machine.metadata.uid && spec.used === true;
  return isReleasing(detaching);
}

/** `--host keep` cannot cancel a wipe that an earlier run ordered. */
export function isReleasing({ machine, host }: Detaching): boolean {
  return host?.spec.release?.orderedBy.includes(markOf(machine)) === true;
}

export function detachedHost(machine: FleetMachine, fleet: Fleet): FleetHost | undefined {
  return hostOfMachine(fleet, machine) ?? fleet.hosts.find((host) => isMarked(host, machine));
}

/** The manager drops an order on a host that another machine speaks for, so refuse such an order. */
export function refuseOtherSpeakers(detaching: Detaching): void {
  const { machine, host, fleet, options } = detaching;
  if (host === undefined || options.host !== 'release' || isReleasing(detaching)) return;
  const other = evidenceOf(host, fleet).speakers.find(({ uid }) => uid !== machine.metadata.uid);
  if (other === undefined) return;
  throw new Error(
    `machine ${nameOf(other)} ${waysText(other)}, so the host is not wiped; detach that machine first, or continue with --host keep`,
  );
}

export function poolPrefixFor({ machine, options }: Detaching): string {
  return choosePoolPrefix(options, machine);
}

export function planLines(detaching: Detaching): readonly string[] {
  const { machine, host } = detaching;
  const pending = pendingSteps(detaching);
  const server =
    host === undefined
      ? 'no host'
      : `host ${shortId(host.id)} (server ${host.status.observed?.name ?? 'not seen yet'})`;
  return [
    `machine ${machineName(machine)} with ${server}`,
    ...detachSteps.map((step, index) => {
      const done = pending.includes(step) ? '' : ' (done)';
      return `${index + 1}. ${stepText(step, detaching)}${done}`;
    }),
  ];
}

export function stepText(step: DetachStep, detaching: Detaching): string {
  const { machine, host, options } = detaching;
  const name = host === undefined ? 'no host' : `host ${shortId(host.id)}`;
  const owner = ownerOf(machine);
  const texts: Readonly<Record<DetachStep, () => string>> = {
    pause: () => 'pause the machine',
    'see-pause': () => 'wait until the manager has paused it',
    hold: () => `put ${name} on hold`,
    'forget-provider-id': () => 'clear spec.providerID',
    'forget-server': () => 'clear status.serverID',
    settle: () =>
      options.host === 'keep'
        ? `take the claim off ${name}, which stays on hold until: muster unquarantine; its password stays in the Secret ${machine.metadata.name}-bootstrap`
        : `order ${name} to be wiped and offered again as ${poolPrefixFor(detaching)}…`,
    delete: () =>
      owner === undefined
        ? 'delete the machine'
        : `delete its Machine ${owner.name} of Cluster API, which makes another if its replicas still need one`,
  };
  return texts[step]();
}
