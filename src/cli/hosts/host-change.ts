/**
 * The common part of all changes of one host: find the host once, read it again at every step, and watch it afterwards.
 */
import type { ProcessPorts } from '../process-ports.ts';
import { reported, type ChangeReport } from './change-report.ts';
import { confirmAndApply, type Agreement, type Proposal } from './confirm-and-apply.ts';
import type { Cluster } from './cluster.ts';
import { onCluster } from './connect.ts';
import { findHost, shortId } from './find-object.ts';
import type { FleetHost } from './fleet-objects.ts';
import { readFleet, type Fleet } from './fleet-state.ts';
import type { ChangeOptions } from './options.ts';
import { printable } from './table.ts';
import { waitFor, type Seen } from './wait-for.ts';

interface HostChange {
  /** What the command waits for the manager to do. */
  readonly what: string;
  propose(host: FleetHost, fleet: Fleet, cluster: Cluster): Proposal;
  /** `first` is the host as it was found. */
  isSeen(host: FleetHost | undefined, first: FleetHost): boolean;
  /** The confirmation word; default: `y`. */
  word?(host: FleetHost): string;
}

export function changeHost(
  typed: string,
  options: ChangeOptions,
  { ports, change }: { readonly ports: ProcessPorts; readonly change: HostChange },
): Promise<void> {
  return onCluster(options, ports, (cluster) =>
    reported(ports, options, (report) => changeOnce(typed, options, { cluster, report, change })),
  );
}

interface StoryContext {
  readonly cluster: Cluster;
  readonly report: ChangeReport;
  readonly change: HostChange;
}

async function changeOnce(
  typed: string,
  options: ChangeOptions,
  { cluster, report, change }: StoryContext,
): Promise<void> {
  const first = findHost(await cluster.hosts(), typed);
  report.about(`host/${first.id}`);
  const look = async (): Promise<Proposal> => {
    const fleet = await readFleet(cluster, options);
    const { plan, ...rest } = change.propose(sameHost(fleet, first), fleet, cluster);
    return { ...rest, plan: plan.map(printable) };
  };
  const agreement: Agreement = { ...(options.yes === true && { yes: true }), word: change.word?.(first) };
  const isWritten = await confirmAndApply(report, look, agreement);
  await waitFor(report.ports, {
    what: change.what,
    timeoutMs: options.timeout,
    otherwise: `${isWritten ? 'The order is stored.' : 'Nothing was changed now.'} Check later: muster why host/${shortId(first.id)}`,
    look: async () => report.saw(change.what, seenAt(await cluster.host(first.id), first, change)),
  });
}

/** By uid: a recreated object with the same name is another host. */
function sameHost({ hosts }: Fleet, first: FleetHost): FleetHost {
  const host = hosts.find(({ metadata }) => metadata.uid === first.metadata.uid);
  if (host === undefined) throw new Error(`host ${first.id} is gone: nothing was changed`);
  return host;
}

function seenAt(host: FleetHost | undefined, first: FleetHost, change: HostChange): Seen {
  const { state, reason } = host?.status ?? {};
  const now =
    state === undefined ? 'the manager has not reconciled the host yet' : `${state}, ${reason ?? '-'}`;
  return {
    isDone: change.isSeen(host, first),
    text: host === undefined ? 'the host is gone' : now,
    facts: { state, reason },
  };
}

export function hostLine({ id, status }: FleetHost): string {
  const { name = 'not seen yet', zone = '?', type = '?' } = status.observed ?? {};
  return `host ${id} (server ${name}, ${type} in ${zone}), ${status.state ?? 'not reconciled yet'}`;
}
