/** Every machine that speaks for a host, from one fresh read, and the resulting doubts about an operator's order. */
import { overrulingOf, type Speaker } from '../../hosts/state/ownership.ts';
import { machineName, type FleetHost, type FleetMachine } from './fleet-objects.ts';
import type { Fleet } from './fleet-state.ts';

export interface Evidence {
  readonly speakers: readonly Speaker[];
  /** The machine that holds the claim, also while the machine is being deleted. */
  readonly byClaim: FleetMachine | undefined;
  /** Machines with the name of the server that may not speak for the host. */
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

/** Machines that may use the host. No order of an operator takes the host away from them. */
export function ownersIn({ speakers }: Evidence): readonly Speaker[] {
  return speakers.filter(({ isDeleting, by }) => !isDeleting && isAtWork(by));
}

function isAtWork(by: Speaker['by']): boolean {
  return by.includes('claim') || by.includes('serverID');
}

/** Reasons to check again. The operator must overrule each doubt explicitly. */
export function doubtsIn({ speakers, silentNamesakes }: Evidence): readonly string[] {
  const leaving = speakers.filter(({ isDeleting, by }) => isDeleting && isAtWork(by));
  const others = speakers.filter(({ by }) => !isAtWork(by));
  return [
    ...leaving.map((one) => `machine ${nameOf(one)} is being deleted and releases the host by itself`),
    ...others.map((one) => `machine ${nameOf(one)} ${waysText(one)}`),
    ...silentNamesakes.map((one) => `machine ${machineName(one)} is called like the server`),
  ];
}

/** The machines that an order overrules. Where a machine speaks for the host, an order needs --force. */
export function overruledIn({ speakers, silentNamesakes }: Evidence): ReturnType<typeof overrulingOf> {
  // A silent namesake starts to speak by its name once the machine that silences it is gone.
  const silent = silentNamesakes.map(({ metadata }) => ({ uid: metadata.uid, by: ['name' as const] }));
  return [...overrulingOf(speakers), ...silent];
}

/** The evidence to record. The lines must be equal at each read, so ages are left out. */
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

/** The ways in which a machine speaks for a host, as text. */
export function waysText({ by }: Pick<Speaker, 'by'>): string {
  return by.map((way) => waysTexts[way]).join(' and ');
}

/** Each machine that speaks for the host, with its ways. */
export function keepersOf(host: FleetHost, fleet: Fleet): readonly string[] {
  return evidenceOf(host, fleet).speakers.map((one) => `machine ${nameOf(one)} ${waysText(one)}`);
}

function listOf(texts: readonly string[]): string {
  return texts.length === 0 ? 'none' : texts.join('; ');
}

function lifeOf(speaker: Speaker): string {
  return `${nameOf(speaker)} (${speaker.isDeleting ? 'being deleted' : 'alive'})`;
}
