/**
 * `muster hosts`: every host with state, owner and price; the last line sums up the cost of idle and stranded hosts.
 */
import type { ProcessPorts } from '../process-ports.ts';
import { eurosPerDay, eurosText, sinceText } from './ages.ts';
import { onCluster } from './connect.ts';
import { shortId } from './find-object.ts';
import type { FleetHost } from './fleet-objects.ts';
import type { ClusterOptions } from './options.ts';
import { tableText, type Column } from './table.ts';

export { hostStates } from '../../api/kinds/mac-host.ts';

export interface HostsOptions extends ClusterOptions {
  readonly zone?: string;
  readonly state?: string;
  readonly idle?: true;
  readonly wide?: true;
  readonly json?: true;
}

export function runHosts(options: HostsOptions, ports: ProcessPorts): Promise<void> {
  return onCluster(options, ports, async (cluster) => {
    const hosts = (await cluster.hosts()).filter((host) => isWanted(host, options)).toSorted(byServer);
    const { terminal } = ports;
    if (options.json === true)
      return terminal.out(
        `${JSON.stringify({ hosts: hosts.map(jsonOf), totals: totalsOf(hosts) }, null, 2)}\n`,
      );
    if (hosts.length > 0) terminal.out(tableText(columnsAt(cluster.now()), hosts, options.wide));
    terminal.out(`${totalsText(totalsOf(hosts))}\n`);
  });
}

function isWanted(host: FleetHost, { zone, state, idle }: HostsOptions): boolean {
  if (zone !== undefined && host.status.observed?.zone !== zone) return false;
  if (state !== undefined && host.status.state !== state) return false;
  return idle !== true || isUnused(host);
}

/** A paid host without a working machine: free in the pool, stranded, or on hold. */
function isUnused({ spec, status }: FleetHost): boolean {
  if (status.state === 'Foreign' || status.state === 'Terminating') return false;
  return status.state === 'Stranded' || (spec.claim === undefined && spec.release === undefined);
}

function byServer(one: FleetHost, other: FleetHost): number {
  return sortKey(one) < sortKey(other) ? -1 : 1;
}

function sortKey({ id, status }: FleetHost): string {
  return [status.observed?.zone ?? '', status.observed?.name ?? '', id].join('\n');
}

function columnsAt(now: number): readonly Column<FleetHost>[] {
  return [
    { title: 'ID', cell: ({ id }) => shortId(id) },
    { title: 'SERVER', cell: ({ status }) => status.observed?.name ?? '-', least: 10 },
    { title: 'STATE', cell: ({ status }) => status.state ?? '-' },
    { title: 'REASON', cell: reasonCell, least: 6 },
    { title: 'SINCE', cell: ({ status }) => sinceText(status.since, now) },
    { title: 'CLAIM', cell: ({ spec }) => spec.claim?.name ?? '-', least: 8 },
    { title: 'ZONE', cell: ({ status }) => status.observed?.zone ?? '-' },
    { title: 'TYPE', cell: ({ status }) => status.observed?.type ?? '-' },
    { title: 'OS', cell: osCell, least: 5 },
    { title: 'EPOCH', cell: ({ status }) => String(status.installEpoch ?? '-'), isNumber: true },
    { title: '€/DAY', cell: (host) => eurosText(priceOf(host)), isNumber: true },
  ];
}

/** A reason that repeats the state is left out. */
function reasonCell({ status }: FleetHost): string {
  return status.reason === undefined || status.reason === status.state ? '-' : status.reason;
}

function osCell({ status }: FleetHost): string {
  const { family, version, name } = status.observed?.os ?? {};
  return family ?? name ?? version ?? '-';
}

function priceOf({ status }: FleetHost): number | undefined {
  return eurosPerDay(status.observed?.pricePerHourEuros);
}

interface Totals {
  readonly hosts: number;
  readonly idle: number;
  readonly stranded: number;
  readonly withoutPrice: number;
  readonly eurosPerDay: { readonly idle: number; readonly stranded: number; readonly total: number };
}

function totalsOf(hosts: readonly FleetHost[]): Totals {
  const stranded = hosts.filter(({ status }) => status.state === 'Stranded');
  const idle = hosts.filter((host) => isUnused(host) && !stranded.includes(host));
  return {
    hosts: hosts.length,
    idle: idle.length,
    stranded: stranded.length,
    withoutPrice: hosts.filter((host) => priceOf(host) === undefined).length,
    eurosPerDay: { idle: sumOf(idle), stranded: sumOf(stranded), total: sumOf(hosts) },
  };
}

/** Rounds to the cent: sums of hourly prices have floating-point errors. */
function sumOf(hosts: readonly FleetHost[]): number {
  return Math.round(hosts.reduce((sum, host) => sum + (priceOf(host) ?? 0), 0) * 100) / 100;
}

function totalsText(totals: Totals): string {
  const { hosts, idle, stranded, withoutPrice, eurosPerDay: euros } = totals;
  const unknown = withoutPrice === 0 ? '' : `; the price of ${withoutPrice} is not known`;
  return `${hosts} hosts, ${idle} idle, ${stranded} stranded. €/day: ${eurosText(euros.idle)} idle, ${eurosText(euros.stranded)} stranded, ${eurosText(euros.total)} in total${unknown}`;
}

function jsonOf(host: FleetHost) {
  const { id, spec, status } = host;
  const { observed } = status;
  return {
    id,
    server: observed?.name,
    state: status.state,
    reason: status.reason,
    since: status.since,
    claim: spec.claim,
    zone: observed?.zone,
    type: observed?.type,
    os: observed?.os,
    epoch: status.installEpoch,
    eurosPerDay: priceOf(host),
  };
}
