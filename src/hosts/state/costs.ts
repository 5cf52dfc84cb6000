/** Rent of hosts by day, from the configured prices. A host without a price is not counted. */
import { goneStatus, type HostRecord } from './host-record.ts';

export interface Rent {
  /** In euros a day: pooled hosts, stranded hosts, and all hosts. */
  readonly idle: number;
  readonly stranded: number;
  readonly total: number;
  /** Number of hosts by server type that are in none of these sums, because their type has no price. */
  readonly unpriced: ReadonlyMap<string, number>;
}

export function rentOf(hosts: readonly HostRecord[], prices: ReadonlyMap<string, number>): Rent {
  const rented = hosts.filter(
    ({ status }) => status.observed !== undefined && status.observed.status !== goneStatus,
  );
  const sumOf = (some: readonly HostRecord[]): number =>
    rounded(some.reduce((sum, host) => sum + (prices.get(typeOf(host)) ?? 0), 0));
  const inState = (state: string): readonly HostRecord[] =>
    rented.filter(({ status }) => status.state === state);
  const without = rented.filter((host) => !prices.has(typeOf(host)));
  return {
    idle: sumOf(inState('Pooled')),
    stranded: sumOf(inState('Stranded')),
    total: sumOf(rented),
    unpriced: new Map([...Map.groupBy(without, typeOf)].map(([type, some]) => [type, some.length])),
  };
}

const typeOf = ({ status }: HostRecord): string => status.observed?.type ?? '';

/** Avoids binary fractions such as 0.30000000000000004 in sums. */
const rounded = (euros: number): number => Math.round(euros * 1e6) / 1e6;
