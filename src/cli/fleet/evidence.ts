/** Everybody who could speak for a host, from one fresh read: by the uid in its claim, by its name, by their status. */
import { isDeleting, machineName, type FleetHost, type FleetMachine } from './fleet-objects.ts';
import type { Fleet } from './fleet-state.ts';

export interface Evidence {
  readonly byClaim: FleetMachine | undefined;
  /** Called like the server, without its claim. */
  readonly byName: readonly FleetMachine[];
  /** Their status names it, and they do not hold its claim. */
  readonly byServerId: readonly FleetMachine[];
}

export function evidenceOf({ id, spec, status }: FleetHost, { machines }: Fleet): Evidence {
  const others = machines.filter(({ metadata }) => metadata.uid !== spec.claim?.uid);
  return {
    byClaim: machines.find(({ metadata }) => metadata.uid === spec.claim?.uid),
    byName: others.filter(({ metadata }) => metadata.name === status.observed?.name),
    byServerId: others.filter((machine) => machine.status.serverID === id),
  };
}

/** Whoever may be at work on it: no order of a person takes it away from them. */
export function ownersIn({ byClaim, byServerId }: Evidence): readonly FleetMachine[] {
  const claimant = byClaim === undefined ? [] : [byClaim];
  return [...claimant, ...byServerId].filter((machine) => !isDeleting(machine));
}

/** What makes a careful person look twice; each has to be overruled in as many words. */
export function doubtsIn({ byClaim, byName, byServerId }: Evidence): readonly string[] {
  const leaving = [...(byClaim === undefined ? [] : [byClaim]), ...byServerId].filter(isDeleting);
  return [
    ...leaving.map((one) => `machine ${machineName(one)} is being deleted and gives it up by itself`),
    ...byName.map((one) => `machine ${machineName(one)} is called like the server`),
  ];
}

/** The same for the record: it holds nothing that differs at each look. */
export function evidenceLines(
  { spec }: FleetHost,
  { byClaim, byName, byServerId }: Evidence,
): readonly string[] {
  const { claim } = spec;
  const held = claim === undefined ? 'none' : `${claim.namespace}/${claim.name} with uid ${claim.uid}`;
  return [
    `claim: ${held}`,
    `machine with that uid: ${byClaim === undefined ? 'none' : lifeOf(byClaim)}`,
    `machines called like the server: ${listOf(byName)}`,
    `machines whose status.serverID names it: ${listOf(byServerId)}`,
  ];
}

function listOf(machines: readonly FleetMachine[]): string {
  return machines.length === 0 ? 'none' : machines.map(lifeOf).join(', ');
}

function lifeOf(machine: FleetMachine): string {
  return isDeleting(machine) ? `${machineName(machine)} (being deleted)` : `${machineName(machine)} (alive)`;
}
