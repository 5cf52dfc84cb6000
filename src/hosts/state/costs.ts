/** What hosts cost a day, from prices that somebody gave; where there is none, none is made up. */
import { goneStatus, type HostRecord } from './host-record.ts';

export interface Rent {
  /** In euros a day: those in the pool, those that nobody answers for, and all together. */
  readonly idle: number;
  readonly stranded: number;
  readonly total: number;
  /** By type of server: how many hosts are in none of these sums, because their type has no price. */
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

/** Sums of tenths are not tenths. */
const rounded = (euros: number): number => Math.round(euros * 1e6) / 1e6;
