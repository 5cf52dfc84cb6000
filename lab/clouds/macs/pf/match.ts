/** Whether a rule of pf matches a packet. */
import { contains } from './addresses.ts';
import type { Endpoint, FilterRule, Table } from './ruleset.ts';

export interface Packet {
  readonly direction: 'in' | 'out';
  readonly device: string;
  readonly protocol: 'tcp' | 'udp';
  readonly source: string;
  readonly destination: string;
  readonly port: number;
  /** The addresses of the Mac. */
  readonly self: readonly string[];
  /** The first packet of a connection has the flag S alone. */
  readonly isFirst: boolean;
}

export type TableLookup = (name: string) => Table | undefined;

export function isMatch(rule: FilterRule, packet: Packet, tableOf: TableLookup): boolean {
  const { from, to } = rule;
  return (
    (rule.direction ?? packet.direction) === packet.direction &&
    (rule.protocol ?? packet.protocol) === packet.protocol &&
    isOnDevice(rule, packet) &&
    hasFamilyAndFlags(rule, packet) &&
    // The system draws the port of the source, so no rule about that port matches.
    from.port === undefined &&
    isEnd(from, packet.source, { packet, tableOf }) &&
    isPort(to, packet) &&
    isEnd(to, packet.destination, { packet, tableOf })
  );
}

/** `bridge` means each bridge. */
function isOnDevice({ device }: FilterRule, packet: Packet): boolean {
  if (device === undefined) return true;
  const { name, isNegated } = device;
  const isGroup = /\D$/.test(name) && packet.device.replace(/\d+$/, '') === name;
  return (name === packet.device || isGroup) !== isNegated;
}

/** `flags S/SA`, which `pass` has unless told otherwise, leaves packets of running connections to the rules behind it. */
function hasFamilyAndFlags({ family, flags }: FilterRule, packet: Packet): boolean {
  const isFamily = family === undefined || (family === 'inet6') === packet.destination.includes(':');
  return isFamily && (packet.protocol !== 'tcp' || flags !== 'S/SA' || packet.isFirst);
}

function isPort({ port }: Endpoint, packet: Packet): boolean {
  return port === undefined || (packet.port >= port.from && packet.port <= port.to);
}

interface Surroundings {
  readonly packet: Packet;
  readonly tableOf: TableLookup;
}

function isEnd({ address, isNegated }: Endpoint, actual: string, around: Surroundings): boolean {
  return address === 'any' || isAddress(address, actual, around) !== isNegated;
}

function isAddress(address: string, actual: string, { packet, tableOf }: Surroundings): boolean {
  const { self } = packet;
  if (address === 'self') return self.includes(actual);
  // `(self)` loads without any address: spec/host.md H2.
  if (address.startsWith('(')) return address !== '(self)' && self.includes(actual);
  if (address.startsWith('<')) return isInTable(tableOf(address.slice(1, -1)), self, actual);
  return address !== 'no-route' && contains(address, actual);
}

/** `!` takes an address out of a table again. */
function isInTable(table: Table | undefined, self: readonly string[], actual: string): boolean {
  const within = (entry: string): boolean =>
    entry === 'self' ? self.includes(actual) : contains(entry, actual);
  const entries = table?.addresses ?? [];
  const isExempt = entries.some((entry) => entry.startsWith('!') && within(entry.slice(1)));
  return !isExempt && entries.some((entry) => !entry.startsWith('!') && within(entry));
}
