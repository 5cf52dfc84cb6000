/** `muster sweep`: which stranded hosts would be reclaimed now, and why not the others; `--yes` orders that. */
import type { ProcessPorts } from '../process-ports.ts';
import { sinceText } from './ages.ts';
import { confirmAndApply, type Proposal } from './confirm-and-apply.ts';
import { ChangeReport, quiet } from './change-report.ts';
import type { Cluster } from './cluster.ts';
import { onCluster } from './connect.ts';
import { keepersOf } from './evidence.ts';
import { shortId } from './find-object.ts';
import { readFleet, type Fleet } from './fleet-state.ts';
import { hostLine } from './host-change.ts';
import type { ReadOptions } from './options.ts';
import { sweepOf, type Swept, type SweepRules } from './sweep-plan.ts';
import { printable, wrapped } from './table.ts';

export interface SweepOptions extends ReadOptions, SweepRules {
  readonly yes?: true;
}

export function runSweep(options: SweepOptions, ports: ProcessPorts): Promise<void> {
  return onCluster(options, ports, (cluster) =>
    options.json === true ? sweepForPrograms(cluster, options, ports) : sweep(cluster, options, ports),
  );
}

async function sweep(cluster: Cluster, options: SweepOptions, ports: ProcessPorts): Promise<void> {
  const look = new SweepLook(cluster, options, ports);
  const found = await look.all();
  const due = found.filter(({ order }) => order !== undefined);
  const { terminal } = ports;
  for (const swept of found) terminal.out(`${wrapped(lineOf(swept, cluster.now(), options.yes), 4)}\n`);
  if (options.yes !== true) return terminal.out(`${closing(found.length, due.length, options)}\n`);
  let ordered = 0;
  for (const { host } of due)
    if (await confirmAndApply(new ChangeReport(ports), () => look.one(host.metadata.uid), { yes: true }))
      ordered += 1;
  terminal.out(`${found.length} stranded, ${ordered} ordered to be wiped and offered again\n`);
}

/** After a failure, the document also lists the orders made before it. */
async function sweepForPrograms(cluster: Cluster, options: SweepOptions, ports: ProcessPorts): Promise<void> {
  const look = new SweepLook(cluster, options, ports);
  const found = await look.all();
  const stranded = found.map(jsonOf);
  const print = (document: object): void => ports.terminal.out(`${JSON.stringify(document, null, 2)}\n`);
  if (options.yes !== true) return print({ stranded });
  const reports: ChangeReport[] = [];
  const orders = () => reports.map(({ document }) => document);
  try {
    for (const { host, order } of found) {
      if (order === undefined) continue;
      const report = new ChangeReport(quiet(ports));
      reports.push(report);
      report.about(`host/${host.id}`);
      await confirmAndApply(report, () => look.one(host.metadata.uid), { yes: true });
      const now = await cluster.host(host.id);
      const { state, reason } = now?.status ?? {};
      const isDone = now?.spec.release !== undefined;
      report.saw('the order is stored', {
        isDone,
        text: state ?? 'not reconciled yet',
        facts: { state, reason },
      });
    }
  } catch (error) {
    print({ stranded, orders: orders(), error: error instanceof Error ? error.message : String(error) });
    throw error;
  }
  print({ stranded, orders: orders() });
}

/** Every check reads the whole fleet again: a machine that appears meanwhile can only protect a host. */
class SweepLook {
  readonly #cluster: Cluster;
  readonly #options: SweepOptions;
  readonly #warn: (text: string) => void;

  constructor(cluster: Cluster, options: SweepOptions, { terminal }: ProcessPorts) {
    this.#cluster = cluster;
    this.#options = options;
    this.#warn = terminal.err;
  }

  async all(): Promise<readonly Swept[]> {
    return this.#evaluated(await this.#read());
  }

  /** The cap was applied when the hosts were chosen; the hosts ordered before this one are no longer stranded. */
  async one(uid: string): Promise<Proposal> {
    const fleet = await this.#read();
    const now = this.#evaluated(fleet).find(({ host }) => host.metadata.uid === uid);
    if (now === undefined) return { plan: [savedText(uid, fleet)] };
    if (now.order === undefined)
      return { plan: [hostLine(now.host), `The host is not reclaimed: ${now.why}`] };
    const { plan, ...rest } = now.order;
    return { ...rest, plan: plan.map(printable) };
  }

  #read(): Promise<Fleet> {
    return readFleet(this.#cluster, this.#options);
  }

  #evaluated(fleet: Fleet): readonly Swept[] {
    return sweepOf({ fleet, cluster: this.#cluster, warn: this.#warn }, this.#options);
  }
}

function savedText(uid: string, fleet: Fleet): string {
  const host = fleet.hosts.find(({ metadata }) => metadata.uid === uid);
  const keepers = host === undefined ? [] : keepersOf(host, fleet);
  return `The host is no longer stranded${keepers.length === 0 ? '' : `: ${keepers.join('; ')}`}.`;
}

function lineOf({ host, order, why }: Swept, now: number, yes: true | undefined): string {
  const { name = 'not seen yet' } = host.status.observed ?? {};
  const verdict = yes === true ? 'is reclaimed' : 'would be reclaimed';
  const fate = order === undefined ? `not reclaimed: ${why}` : `${verdict}: ${why}`;
  return `host/${shortId(host.id)} (${name}), stranded ${sinceText(host.status.since, now)}: ${fate}`;
}

function closing(stranded: number, due: number, options: SweepOptions): string {
  const { claimPrefix = '', defaultAdoptPoolPrefix = '' } = options;
  const hint =
    claimPrefix === '' || defaultAdoptPoolPrefix === ''
      ? '; to reclaim any, give --claim-prefix and --default-adopt-pool-prefix as for the manager'
      : '; to order it: --yes';
  return `${stranded} stranded, ${due} would be reclaimed now; nothing was changed${stranded === 0 ? '' : hint}`;
}

function jsonOf({ host, order, why }: Swept) {
  const { id, status } = host;
  return { id, server: status.observed?.name, since: status.since, isTaken: order !== undefined, why };
}
