/** Every machine that speaks for a host, from one fresh read, and what that means for an order of a person. */
import { overrulingOf, type Speaker } from '../../hosts/state/ownership.ts';
import { machineName, type FleetHost, type FleetMachine } from './fleet-objects.ts';
import type { Fleet } from './fleet-state.ts';

export interface Evidence {
  readonly speakers: readonly Speaker[];
  /** The machine that holds the claim, also while it is being deleted. */
  readonly byClaim: FleetMachine | undefined;
  /** Machines that are called like the server and may not speak for it. */
  readonly silentNamesakes: readonly FleetMachine[];
}

export function evidenceOf(host: FleetHost, { machines, view }: Fleet): Evidence {
  const { speakers } = view.ownershipOf(host);
  const uids = new Set(speakers.map(({ uid }) => uid));
  return {
    speakers,
    byClaim: machines.find(({ metadata }) => metadata.uid === host.spec.claim?.uid),
    silentNamesakes: machines.filter(
      ({ metadata }) => metadata.name === host.status.observed?.name && !uids.has(metadata.uid),
    ),
  };
}

/** Machines that may be at work on the host: no order of a person takes the host away from them. */
export function ownersIn({ speakers }: Evidence): readonly Speaker[] {
  return speakers.filter(({ isDeleting, by }) => !isDeleting && isAtWork(by));
}

function isAtWork(by: Speaker['by']): boolean {
  return by.includes('claim') || by.includes('serverID');
}

/** What makes a careful person look twice; each doubt has to be overruled in as many words. */
export function doubtsIn({ speakers, silentNamesakes }: Evidence): readonly string[] {
  const leaving = speakers.filter(({ isDeleting, by }) => isDeleting && isAtWork(by));
  const others = speakers.filter(({ by }) => !isAtWork(by));
  return [
    ...leaving.map((one) => `machine ${nameOf(one)} is being deleted and gives it up by itself`),
    ...others.map((one) => `machine ${nameOf(one)} ${waysText(one)}`),
    ...silentNamesakes.map((one) => `machine ${machineName(one)} is called like the server`),
  ];
}

/** How an order names the machines in doubt. Where a machine speaks for the host, no order is written without --force. */
export function overruledIn({ speakers, silentNamesakes }: Evidence): ReturnType<typeof overrulingOf> {
  // A namesake that is silent now speaks by its name once the machine that silences it is gone.
  const silent = silentNamesakes.map(({ metadata }) => ({ uid: metadata.uid, by: ['name' as const] }));
  return [...overrulingOf(speakers), ...silent];
}

/** The same for the record: it holds nothing that differs at each look. */
export function evidenceLines(
  { spec }: FleetHost,
  { speakers, silentNamesakes }: Evidence,
): readonly string[] {
  const { claim } = spec;
  const held = claim === undefined ? 'none' : `${claim.namespace}/${claim.name} with uid ${claim.uid}`;
  return [
    `claim: ${held}`,
    `machines that speak for it: ${listOf(speakers.map((one) => `${lifeOf(one)} by ${one.by.join(', ')}`))}`,
    `other machines called like the server: ${listOf(silentNamesakes.map(machineName))}`,
  ];
}

export function nameOf({ namespace, name }: Pick<Speaker, 'namespace' | 'name'>): string {
  return `${namespace}/${name}`;
}

const waysTexts: Readonly<Record<Speaker['by'][number], string>> = {
  claim: 'holds its claim',
  name: 'is called like the server',
  serverID: 'names it in status.serverID',
  providerID: 'names it in spec.providerID',
  annotation: 'names it in the annotation muster.dev/host',
};

/** How a machine speaks for a host, for people. */
export function waysText({ by }: Pick<Speaker, 'by'>): string {
  return by.map((way) => waysTexts[way]).join(' and ');
}

/** Each machine that speaks for the host, with how. */
export function keepersOf(host: FleetHost, fleet: Fleet): readonly string[] {
  return evidenceOf(host, fleet).speakers.map((one) => `machine ${nameOf(one)} ${waysText(one)}`);
}

function listOf(texts: readonly string[]): string {
  return texts.length === 0 ? 'none' : texts.join('; ');
}

function lifeOf(speaker: Speaker): string {
  return `${nameOf(speaker)} (${speaker.isDeleting ? 'being deleted' : 'alive'})`;
}
