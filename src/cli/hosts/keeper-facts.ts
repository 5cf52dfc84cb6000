/** Why a host is kept: its claim, each machine that speaks for it, and the hold. */
import type { Speaker } from '../../hosts/state/ownership.ts';
import { sinceText } from './ages.ts';
import { evidenceOf, nameOf, waysText } from './evidence.ts';
import { isDeleting, isPaused, machineName, type FleetHost, type FleetMachine } from './fleet-objects.ts';
import type { Fleet } from './fleet-state.ts';
import { liftText } from './hold-lift.ts';
import type { Fact } from './explanation.ts';

export function keeperFacts(host: FleetHost, fleet: Fleet): readonly Fact[] {
  const { speakers, silentNamesakes } = evidenceOf(host, fleet);
  return [
    ['claim', claimText(host, fleet)],
    ...speakers.map((one): Fact => ['kept by', keeperText(one, fleet)]),
    ...silentNamesakes.map((one): Fact => ['not kept by', silentText(one)]),
    ...holdFacts(host, fleet),
  ];
}

function claimText({ spec }: FleetHost, { machines, now }: Fleet): string {
  const { claim, lastOwner } = spec;
  if (claim === undefined)
    return `none${lastOwner === undefined ? '' : `; ${nameOf(lastOwner)} was the last to claim it`}`;
  const machine = machines.find(({ metadata }) => metadata.uid === claim.uid);
  return `${nameOf(claim)} (uid ${claim.uid}), which ${lifeOf(machine, now)}`;
}

function keeperText(speaker: Speaker, { machines, now }: Fleet): string {
  const machine = machines.find(({ metadata }) => metadata.uid === speaker.uid);
  return `machine ${nameOf(speaker)}, which ${lifeOf(machine, now)}: ${waysText(speaker)}`;
}

function lifeOf(machine: FleetMachine | undefined, now: number): string {
  if (machine === undefined) return 'does not exist';
  if (isDeleting(machine))
    return `is being deleted since ${sinceText(machine.metadata.deletionTimestamp, now)}`;
  return isPaused(machine) ? 'is paused' : 'is alive';
}

function silentText(machine: FleetMachine): string {
  return `machine ${machineName(machine)} is called like the server, and the host belongs to another namespace`;
}

function holdFacts(host: FleetHost, fleet: Fleet): readonly Fact[] {
  const { hold } = host.spec;
  if (hold === undefined) return [];
  return [
    ['on hold', `since ${sinceText(hold.since, fleet.now)}: ${hold.reason}`],
    ['lift hold', liftText(host, fleet)],
  ];
}
