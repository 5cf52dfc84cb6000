/** The output of `bench/hosts`: each run, then each goal with its value. */
import type { Figures } from './child-link.ts';

export interface Measured {
  readonly count: number;
  /** Until every host was known, or for the legacy baseline until it led. */
  readonly coldSeconds: number;
  /** From the creation of the first machine until the last had its host. */
  readonly seconds: number;
  readonly cost: Figures;
  readonly held: Figures;
  readonly quiet?: Figures;
}

export interface Results {
  readonly ours: Measured;
  readonly older: Measured;
  /** As `ours`, with a server of which a read is never answered. */
  readonly hanging: Measured;
  readonly large: Measured;
}

const fasterMin = 10;
const callsMax = 3.1;
const residentMax = 160;
const delayMax = 1.15;

/** Lease renewals always happen, and are not counted. */
export function writesIn(figures: Figures): number {
  return sumOf(figures, (name) => name.startsWith('write ') && name !== 'write leases');
}

export function linesOf({ ours, older, hanging, large }: Results): readonly string[] {
  const quiet = large.quiet ?? {};
  return [
    lineOf('ours', ours),
    lineOf('older way', older),
    lineOf('ours, one server silent, all others', hanging),
    lineOf('ours', large),
    `quiet with ${large.count} hosts for ${quiet['periods']} inventories: ${writesIn(quiet)} writes, ${text(perPeriod(quiet))} requests for each listing`,
  ];
}

export function goalLines({ ours, older, hanging, large }: Results): readonly string[] {
  const { quiet = {}, count } = large;
  const resident = Math.max(large.cost['rss'] ?? Number.NaN, large.held['rss'] ?? Number.NaN);
  return [
    atLeast(`times faster than the older way at ${ours.count}`, older.seconds / ours.seconds, fasterMin),
    atMost(`calls to the provider for each adoption at ${ours.count}`, callsPer(ours), callsMax),
    atMost(`calls to the provider for each adoption at ${count}`, callsPer(large), callsMax),
    atMost(`requests for one listing of ${count}`, perPeriod(quiet), count / 100 + 1),
    atMost(`RSS with ${count} hosts, MiB`, resident, residentMax),
    atMost(`writes in ${quiet['periods']} inventories of a quiet fleet of ${count}`, writesIn(quiet), 0),
    atMost('times as long for others beside a silent server', hanging.seconds / ours.seconds, delayMax),
  ];
}

function lineOf(name: string, { count, seconds, coldSeconds, cost, held }: Measured): string {
  const listings = cost['ask list servers'] ?? 0;
  const events = cost['write events'] ?? 0;
  return [
    `${name}, ${count} adoptions: ${text(seconds)} s (${text(coldSeconds)} s before them)`,
    `  for each: ${text(callsPer({ count, cost }))} calls to the provider and ${text(listings / count)} for listings,`,
    `  ${text((writesIn(cost) - events) / count)} API writes and ${text(events / count)} for Events, ${text((cost['requests'] ?? 0) / count)} API requests in all`,
    `  RSS ${text(cost['rss'])} MiB, ${text(held['rss'])} after a collection (heap ${text(held['heap'])}); loop lag ${text(cost['lagP99'])} ms p99`,
  ].join('\n');
}

function callsPer({ count, cost }: Pick<Measured, 'count' | 'cost'>): number {
  return sumOf(cost, (name) => name.startsWith('ask ') && name !== 'ask list servers') / count;
}

function perPeriod(quiet: Figures): number {
  return (quiet['ask list servers'] ?? Number.NaN) / (quiet['periods'] ?? Number.NaN);
}

function sumOf(figures: Figures, counts: (name: string) => boolean): number {
  return Object.entries(figures).reduce((sum, [name, value]) => (counts(name) ? sum + value : sum), 0);
}

function atLeast(what: string, value: number, least: number): string {
  return `goal: ${what}: ${text(value)}, wanted at least ${least}, met: ${value >= least ? 'yes' : 'NO'}`;
}

function atMost(what: string, value: number, most: number): string {
  return `goal: ${what}: ${text(value)}, wanted at most ${most}, met: ${value <= most ? 'yes' : 'NO'}`;
}

function text(value = Number.NaN): string {
  return value.toFixed(value < 10 ? 2 : 1);
}
