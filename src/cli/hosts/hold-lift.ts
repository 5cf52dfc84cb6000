/** How the hold on a host is lifted. */
import { needsHold } from '../../hosts/machine/hold/operator-hold.ts';
import { machineName, type FleetHost, type FleetMachine } from './fleet-objects.ts';
import type { Fleet } from './fleet-state.ts';

/**
 * The paused machine whose status.serverID an operator cleared. If the hold were lifted, the manager would set it again
 * for that machine.
 */
export function clearedMachineOf(
  { metadata, spec, status }: FleetHost,
  { machines }: Fleet,
): FleetMachine | undefined {
  const { hold: _hold, ...rest } = spec;
  return machines.find((machine) => needsHold({ metadata, spec: rest, status }, machine));
}

/** The command to lift the hold, with the step that must come first, if any. */
export function liftText(host: FleetHost, fleet: Fleet): string {
  const command = `muster unquarantine ${host.id}`;
  const cleared = clearedMachineOf(host, fleet);
  return cleared === undefined ? command : `${clearedText(cleared)}, and then: ${command}`;
}

export function clearedText(cleared: FleetMachine): string {
  return `unpause machine ${machineName(cleared)}, which then takes the host back, or delete the machine`;
}
