/** What lets go of a host that is kept aside. */
import { needsHold } from '../../hosts/machine/operator-hold.ts';
import { machineName, type FleetHost, type FleetMachine } from './fleet-objects.ts';
import type { Fleet } from './fleet-state.ts';

/**
 * The paused machine whose status.serverID an operator cleared. Without the hold the manager would hold the host for that
 * machine again at once.
 */
export function clearedMachineOf(
  { metadata, spec, status }: FleetHost,
  { machines }: Fleet,
): FleetMachine | undefined {
  const { hold: _hold, ...rest } = spec;
  return machines.find((machine) => needsHold({ metadata, spec: rest, status }, machine));
}

/** The command, or what has to come before the command. */
export function liftText(host: FleetHost, fleet: Fleet): string {
  const command = `muster unquarantine ${host.id}`;
  const cleared = clearedMachineOf(host, fleet);
  return cleared === undefined ? command : `${clearedText(cleared)}, and then: ${command}`;
}

export function clearedText(cleared: FleetMachine): string {
  return `unpause machine ${machineName(cleared)}, which then takes the host back, or delete that machine`;
}
